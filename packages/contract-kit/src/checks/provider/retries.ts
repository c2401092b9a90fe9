import { setTimeout } from "node:timers/promises";
import type { ProviderCheck } from "../../check.ts";
import { emit, onlyEvent, subscribe, typesOf } from "../../harness/calls.ts";
import { answerEach, attemptsById, requireGenuine } from "../../harness/delivered-events.ts";
import { must, mustBe, NotShown } from "../../harness/judge.ts";
import { providerCheck } from "../../harness/scenario.ts";
import type { Session } from "../../harness/session.ts";

const RETRY = "P-EVENT-RETRY";
const KEPT = "P-EVENT-ID-KEPT";
const TIMESTAMP = "P-EVENT-TIMESTAMP";

/** Milliseconds after which two attempts cannot have one timestamp in whole seconds. */
const SECOND_MS = 1010;
/** Longer than any wait of a finite schedule. */
const BEYOND_MS = 3 * 86_400_000;

/**
 * The range, in milliseconds after a failed attempt, in which the next one must arrive: from just before
 * its earliest to just after its latest instant. Whole seconds, since some clocks have no fractions; one of them may
 * have passed while the first attempt was settled.
 */
function windowOf(stepSeconds: number, jitter: number): { before: number; after: number } {
  return {
    before: Math.max(0, Math.ceil(stepSeconds * (1 - jitter)) - 2) * 1000,
    after: (Math.floor(stepSeconds * (1 + jitter)) + 1) * 1000,
  };
}

/** @throws {NotShown} A check cannot let that much time pass. */
async function requirePassable(session: Session, ms: number): Promise<void> {
  if (!(await session.canPass(ms)))
    throw new NotShown(
      "the schedule's first wait is too long to be waited for, and no clock can be moved",
    );
}

/** Milliseconds in which the second attempt arrives. @throws {NotShown} A check cannot let them pass. */
export async function secondAttemptMs(session: Session): Promise<number> {
  const { scheduleSeconds, jitter } = session.profile.sending;
  const { after } = windowOf(scheduleSeconds[1] ?? Infinity, jitter);
  await requirePassable(session, after);
  return after;
}

export const retries: ProviderCheck = providerCheck({
  id: "provider/retries",
  title: "a failed attempt is repeated by the schedule, with the same bytes and a new signature",
  requirements: [RETRY, KEPT, TIMESTAMP, "P-EVENT-SIGNED", "P-EVENT-HEADERS"],
  play: async (session) => {
    const { profile } = session;
    const { scheduleSeconds, jitter } = profile.sending;
    const [type] = typesOf(profile);
    const failing = { place: session.receive(() => ({ status: 500 })), details: onlyEvent(type) };
    const { place, secretKey } = await subscribe(session, RETRY, failing);
    await emit(session, type);
    await place.until((all) => all.length > 0);
    await session.settled();
    const { attempts } = place;
    const [first] = attempts;
    must(RETRY, first !== undefined, () => `no attempt of ${type} arrived`);
    must(RETRY, attempts.length === 1, () => "the answer 500 was met by more at once");
    const firstTime = requireGenuine(first, secretKey, profile);

    // Receivers compare the signature's timestamp with their own clock: it is real time, wherever the target's clock is.
    await setTimeout(Math.max(0, first.at + SECOND_MS - Date.now()));
    // Largest delay of the previous attempt after its earliest instant.
    let slack = 0;
    for (const [index, step] of scheduleSeconds.slice(1).entries()) {
      const { before, after } = windowOf(step, jitter);
      if (index === 0) await requirePassable(session, after);
      if (!(await session.canPass(after))) return;
      const count: number = attempts.length;
      const due = `attempt ${count + 1} is due ${step} s after the one before`;
      const early = Math.max(0, before - slack);
      if (early > 0) await session.pass(early);
      must(RETRY, attempts.length === count, () => `${due}, but arrived sooner`);
      await session.pass(after - early);
      await place.until(() => attempts.length > count);
      // In a dense schedule the next attempts may fall into the same window.
      const following = (scheduleSeconds[index + 2] ?? Infinity) * (1 - jitter) * 1000;
      const most = 1 + Math.floor((after - early) / following);
      const came = attempts.length - count;
      must(RETRY, came >= 1 && came <= most, () => `${due}: expected 1, got ${came}`);
      slack += after - before;
      for (const again of attempts.slice(count)) {
        must(KEPT, Buffer.from(first.body).equals(again.body), () => {
          return `a later attempt has other bytes than the first: ${Buffer.from(again.body).toString()}`;
        });
        const time = requireGenuine(again, secretKey, profile);
        must(TIMESTAMP, time === undefined || firstTime === undefined || time > firstTime, () => {
          return `attempt ${count + 1} is signed with the first one's timestamp, ${String(firstTime)}`;
        });
      }
    }
    const made = attempts.length;
    await session.pass(BEYOND_MS);
    mustBe(RETRY, "attempts after the schedule's end", attempts.length, made);
  },
});

const AFTER = "P-EVENT-RETRY-AFTER";

export const retryAfter: ProviderCheck = providerCheck({
  id: "provider/retry-after",
  title:
    "Retry-After (seconds or a date) delays the next attempt, up to the profile's factor of the schedule's step",
  requirements: [AFTER],
  play: async (session) => {
    const { profile } = session;
    const { scheduleSeconds, jitter, retryAfterFactor: factor } = profile.sending;
    const step = scheduleSeconds[1];
    if (step === undefined) throw new NotShown("the schedule has only one attempt");
    const [latest, most] = [step * (1 + jitter), step * factor];
    // Whole seconds, since headers and some clocks have no fractions.
    const soon = Math.floor(latest) + 1;
    const within = Math.floor(soon + (most - soon) / 2) + 1;
    if (within >= most) throw new NotShown("the profile's factor leaves no time between");
    await requirePassable(session, (most + 1) * 1000);

    // A date is in real time, wherever the target's clock is.
    const asked = [
      ["1", () => "1"],
      [String(within), () => String(within)],
      ["far beyond", () => String(Math.ceil(most) * 100)],
      [`a date in ${within} s`, () => new Date(Date.now() + within * 1000).toUTCString()],
      ["a date that has passed", () => new Date(Date.now() - 86_400_000).toUTCString()],
    ] as const;
    const answers = asked.map(([, after]) => () => {
      return { status: 503, headers: { "retry-after": after() } };
    });
    const [type] = typesOf(profile);
    const { place } = await subscribe(session, AFTER, {
      place: session.receive(answerEach(answers, profile)),
      details: onlyEvent(type),
    });
    for (const [index] of asked.entries()) {
      await emit(session, type);
      await place.until(() => attemptsById(place, profile).size > index);
    }
    await session.settled();
    const counts = (): readonly number[] =>
      [...attemptsById(place, profile).values()].map(({ length }) => length);
    const expect = (wanted: readonly number[], when: string): void => {
      const seen = counts();
      for (const [index, count] of wanted.entries()) {
        const what = `attempts after Retry-After: ${asked[index]?.[0]}, of a step of ${step} s, ${when}`;
        mustBe(AFTER, what, seen[index], count);
      }
    };
    expect([1, 1, 1, 1, 1], "at once");
    const early = windowOf(step, jitter).before / 1000;
    await session.pass(early * 1000);
    expect([1, 1, 1, 1, 1], `after ${early} s`);
    await session.pass((soon - early) * 1000);
    await place.until(() => [0, 4].every((index) => (counts()[index] ?? 0) > 1));
    expect([2, 1, 1, 1, 2], `after ${soon} s`);
    const end = Math.ceil(most) + 1;
    await session.pass((end - soon) * 1000);
    await place.until(() => counts().every((count) => count > 1));
    expect([2, 2, 2, 2], `after ${end} s`);
  },
});
