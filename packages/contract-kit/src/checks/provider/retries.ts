import { setTimeout } from "node:timers/promises";
import type { ProviderCheck } from "../../check.ts";
import type { ReceivedAttempt } from "../../target.ts";
import { requireGenuine } from "../../harness/genuine-attempt.ts";
import { canPass, pass, settled, windowOf } from "../../harness/passing-time.ts";
import { playOnce, type Unseen } from "../../harness/scenario.ts";
import type { Session } from "../../harness/session.ts";
import { newSecret, subscribe } from "./subscription-calls.ts";
import { must } from "../../harness/violation.ts";

const RETRY = "P-EVENT-RETRY";
const KEPT = "P-EVENT-ID-KEPT";
const TIMESTAMP = "P-EVENT-TIMESTAMP";
const requirements = [
  RETRY,
  KEPT,
  TIMESTAMP,
  "P-EVENT-SIGNED",
  "P-EVENT-HEADERS",
  "P-ANSWER-SCHEMA",
];

/** Milliseconds after which two attempts cannot have one timestamp in whole seconds. */
const SECOND_MS = 1010;

/** An event that every attempt of fails, through the whole schedule. */
export const retries: ProviderCheck = {
  id: "provider/retries",
  title: "a failed attempt is made again by the schedule, with the same bytes and a new signature",
  role: "provider",
  requirements,
  run: (target, context) =>
    playOnce({ requirements, needs: ["events", "receiver"], play }, target, context),
};

async function play(session: Session): Promise<Unseen | void> {
  const { profile, receiver } = session.target;
  const { scheduleSeconds, jitter } = profile.delivery;
  const place = session.receive(() => ({ status: 500 }));
  const secretKey = newSecret(session);
  const [type = ""] = profile.catalogue.map((row) => row.type);
  const details = { type: "EVENT", details: [type] } as const;
  await subscribe(session, { requirement: RETRY, url: place.url, secretKey, details });
  await session.controls.events?.emit(type);
  const hasCome = await place.until((all) => all.length > 0, receiver?.deliveryMs ?? 0);
  must(RETRY, hasCome, () => `no attempt of ${type} came`);
  await settled(session);
  const [first] = place.attempts;
  if (first === undefined) return undefined;
  must(RETRY, place.attempts.length === 1, () => `the answer 500 was met by more at once`);
  const firstTime = requireGenuine(first, secretKey, profile);

  // Receivers judge the signature's time by their own clock: it is real, however the target's moves.
  await setTimeout(Math.max(0, first.at + SECOND_MS - Date.now()));
  // By how much later than the earliest instant the attempt before may have been.
  let slack = 0;
  for (const [index, step] of scheduleSeconds.slice(1).entries()) {
    const { before, after } = windowOf(step, jitter);
    if (!canPass(session, after))
      return index === 0 ? { [RETRY]: UNMOVED, [KEPT]: UNMOVED, [TIMESTAMP]: UNMOVED } : undefined;
    const count: number = place.attempts.length;
    const early = Math.max(0, before - slack);
    if (early > 0) await pass(session, early);
    must(RETRY, place.attempts.length === count, () => {
      return `attempt ${count + 1} is due ${step} s after the one before, and came sooner`;
    });
    await pass(session, after - early);
    await place.until((all) => all.length > count, receiver?.deliveryMs ?? 0);
    // Where the schedule is dense, what follows may fall into the same window.
    const following = (scheduleSeconds[index + 2] ?? Infinity) * (1 - jitter) * 1000;
    const most = 1 + Math.floor((after - early) / following);
    const came = place.attempts.length - count;
    must(RETRY, came >= 1 && came <= most, () => {
      return `attempt ${count + 1} is due ${step} s after the one before: 1 expected, ${came} came`;
    });
    slack += after - before;
    for (const again of place.attempts.slice(count)) {
      requireSame(again, first);
      const time = requireGenuine(again, secretKey, profile);
      must(TIMESTAMP, time === undefined || firstTime === undefined || time > firstTime, () => {
        return `attempt ${count + 1} is signed with the first one's timestamp, ${String(firstTime)}`;
      });
    }
  }
  const made = place.attempts.length;
  await pass(session, BEYOND_MS);
  must(RETRY, place.attempts.length === made, () => {
    return `the schedule ends after ${made} attempts, and ${place.attempts.length} came`;
  });
  return undefined;
}

const UNMOVED = "the schedule's first wait is too long to be waited for, and no clock can be moved";
/** Longer than any wait of a schedule that ends. */
const BEYOND_MS = 3 * 86_400_000;

function requireSame(again: ReceivedAttempt, first: ReceivedAttempt): void {
  must(KEPT, Buffer.from(first.body).equals(again.body), () => {
    return `a later attempt has other bytes than the first: ${Buffer.from(again.body).toString()}`;
  });
}
