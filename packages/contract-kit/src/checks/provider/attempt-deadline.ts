import { setTimeout } from "node:timers/promises";
import type { ProviderCheck } from "../../check.ts";
import { canPass, pass, settled, windowOf } from "../../harness/passing-time.ts";
import { playOnce, type Unseen } from "../../harness/scenario.ts";
import type { Session } from "../../harness/session.ts";
import { subscribe } from "./subscription-calls.ts";
import { must } from "../../harness/violation.ts";

const REQUIREMENT = "P-EVENT-TIMEOUT";
const requirements = [REQUIREMENT, "P-ANSWER-SCHEMA"];

/** Milliseconds of real time that an attempt may have before only a slow run waits for it. */
const QUICK_MS = 1000;
/** Milliseconds beyond the deadline in which the attempt has been recorded as failed. */
const MARGIN_MS = 500;

/** A receiver that is silent, and one that answers just in time. */
export const attemptDeadline: ProviderCheck = {
  id: "provider/attempt-deadline",
  title: "an attempt without an answer in the profile's time has failed, and not before",
  role: "provider",
  requirements,
  run: (target, context) =>
    playOnce({ requirements, needs: ["events", "receiver"], play }, target, context),
};

async function play(session: Session): Promise<Unseen | void> {
  const { profile, receiver, slow = false } = session.target;
  const { timeoutMs, scheduleSeconds, jitter } = profile.delivery;
  if (timeoutMs > QUICK_MS && !slow)
    return { [REQUIREMENT]: `the ${timeoutMs} ms of an attempt are waited for in a slow run only` };
  const { after } = windowOf(scheduleSeconds[1] ?? Infinity, jitter);
  if (!Number.isFinite(after) || !canPass(session, after))
    return { [REQUIREMENT]: "the schedule's first wait is too long, and no clock can be moved" };

  const silent = session.receive((_attempt, earlier) =>
    earlier.length === 0 ? "silence" : { status: 204 },
  );
  const late = session.receive(() => ({ status: 204, afterMs: timeoutMs / 2 }));
  const [type = ""] = profile.catalogue.map((row) => row.type);
  for (const { url } of [silent, late]) {
    // oxlint-disable-next-line no-await-in-loop -- two
    await subscribe(session, { requirement: REQUIREMENT, url });
  }
  await session.controls.events?.emit(type);
  const limit = receiver?.deliveryMs ?? 0;
  for (const place of [silent, late]) {
    // oxlint-disable-next-line no-await-in-loop -- both are under way
    const hasCome = await place.until((all) => all.length > 0, limit);
    must(REQUIREMENT, hasCome, () => `no attempt of ${type} came in ${limit} ms`);
  }
  await setTimeout(timeoutMs + MARGIN_MS);
  await settled(session);
  await pass(session, after);
  await silent.until((all) => all.length > 1, limit);
  must(REQUIREMENT, silent.attempts.length === 2, () => {
    return `after ${timeoutMs} ms of silence: another attempt expected, ${silent.attempts.length - 1} came`;
  });
  must(REQUIREMENT, late.attempts.length === 1, () => {
    return `an answer after ${timeoutMs / 2} ms is in time, and the attempt was made again`;
  });
  return undefined;
}
