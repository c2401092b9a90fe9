import type { ProviderCheck } from "../../check.ts";
import { idOf } from "../../harness/delivered-event.ts";
import { canPass, pass, settled, windowOf } from "../../harness/passing-time.ts";
import { playOnce, type Unseen } from "../../harness/scenario.ts";
import type { Session } from "../../harness/session.ts";
import { subscribe } from "./subscription-calls.ts";
import { must } from "../../harness/violation.ts";

const REQUIREMENT = "P-EVENT-RETRY-AFTER";
const requirements = [REQUIREMENT, "P-ANSWER-SCHEMA"];

/** `Retry-After` below, within and beyond what the profile lets it move. */
export const retryAfter: ProviderCheck = {
  id: "provider/retry-after",
  title: "Retry-After moves the next attempt, from one step up to the profile's factor of it",
  role: "provider",
  requirements,
  run: (target, context) =>
    playOnce({ requirements, needs: ["events", "receiver"], play }, target, context),
};

async function play(session: Session): Promise<Unseen | void> {
  const { profile, receiver } = session.target;
  const { scheduleSeconds, jitter, retryAfterFactor: factor } = profile.delivery;
  const step = scheduleSeconds[1];
  if (step === undefined) return { [REQUIREMENT]: "the schedule has one attempt alone" };
  const [latest, most] = [step * (1 + jitter), step * factor];
  // Whole seconds, since a header and a clock may know no others.
  const soon = Math.floor(latest) + 1;
  const within = Math.floor(soon + (most - soon) / 2) + 1;
  if (within >= most) return { [REQUIREMENT]: "the profile's factor leaves no time between" };
  if (!canPass(session, (most + 1) * 1000))
    return { [REQUIREMENT]: "the schedule's first wait is too long, and no clock can be moved" };

  const asked = [1, within, Math.ceil(most) * 100];
  const ids: (string | undefined)[] = [];
  const place = session.receive(({ body }) => {
    const id = idOf(body, profile);
    if (!ids.includes(id)) ids.push(id);
    const seconds = asked[ids.indexOf(id)] ?? 0;
    return { status: 503, headers: { "retry-after": String(seconds) } };
  });
  const [type = ""] = profile.catalogue.map((row) => row.type);
  const details = { type: "EVENT", details: [type] } as const;
  await subscribe(session, { requirement: REQUIREMENT, url: place.url, details });
  for (const _ of asked) {
    // oxlint-disable-next-line no-await-in-loop -- three, in order
    await session.controls.events?.emit(type);
  }
  await place.until(() => ids.length === asked.length, receiver?.deliveryMs ?? 0);
  await settled(session);
  const counts = (): readonly number[] =>
    ids.map((id) => place.attempts.filter(({ body }) => idOf(body, profile) === id).length);
  const expect = (wanted: readonly number[], when: string): void => {
    const seen = counts();
    for (const [index, count] of wanted.entries()) {
      must(REQUIREMENT, seen[index] === count, () => {
        return `Retry-After: ${asked[index]} of a step of ${step} s, ${when}: ${count} attempts expected, ${seen[index]} came`;
      });
    }
  };
  expect([1, 1, 1], "at once");
  const early = windowOf(step, jitter).before / 1000;
  await pass(session, early * 1000);
  expect([1, 1, 1], `after ${early} s`);
  await pass(session, (soon - early) * 1000);
  await place.until(() => (counts()[0] ?? 0) > 1, receiver?.deliveryMs ?? 0);
  expect([2, 1, 1], `after ${soon} s`);
  const end = Math.ceil(most) + 1;
  await pass(session, (end - soon) * 1000);
  await place.until(() => counts().every((count) => count > 1), receiver?.deliveryMs ?? 0);
  expect([2, 2, 2], `after ${end} s`);
  return undefined;
}
