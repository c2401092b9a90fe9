import { setTimeout } from "node:timers/promises";
import type { ProviderCheck } from "../../check.ts";
import { onlyEvent, emit, newSecret, subscribe, typesOf } from "../../harness/calls.ts";
import { idOf, requireGenuine } from "../../harness/delivered-events.ts";
import { singleCheck } from "../../harness/scenario.ts";
import { canPass, pass, settled, windowOf } from "../../harness/session.ts";
import { must } from "../../harness/judge.ts";

const RETRY = "P-EVENT-RETRY";
const KEPT = "P-EVENT-ID-KEPT";
const TIMESTAMP = "P-EVENT-TIMESTAMP";

/** Milliseconds after which two attempts cannot have one timestamp in whole seconds. */
const SECOND_MS = 1010;
/** Longer than any wait of a finite schedule. */
const BEYOND_MS = 3 * 86_400_000;
const UNMOVED = "the schedule's first wait is too long to be waited for, and no clock can be moved";

export const retries: ProviderCheck = singleCheck({
  id: "provider/retries",
  title: "a failed attempt is repeated by the schedule, with the same bytes and a new signature",
  requirements: [RETRY, KEPT, TIMESTAMP, "P-EVENT-SIGNED", "P-EVENT-HEADERS"],
  play: async (session) => {
    const { profile, receiver } = session.target;
    const { scheduleSeconds, jitter } = profile.delivery;
    const place = session.receive(() => ({ status: 500 }));
    const secretKey = newSecret(session);
    const [type = ""] = typesOf(profile);
    const details = onlyEvent(type);
    await subscribe(session, { requirement: RETRY, url: place.url, secretKey, details });
    await emit(session, type);
    const hasCome = await place.until((all) => all.length > 0, receiver?.deliveryMs ?? 0);
    must(RETRY, hasCome, () => `no attempt of ${type} arrived`);
    await settled(session);
    const [first] = place.attempts;
    if (first === undefined) return undefined;
    must(RETRY, place.attempts.length === 1, () => `the answer 500 was met by more at once`);
    const firstTime = requireGenuine(first, secretKey, profile);

    // Receivers compare the signature's timestamp with their own clock: it is real time, wherever the target's clock is.
    await setTimeout(Math.max(0, first.at + SECOND_MS - Date.now()));
    // Largest delay of the previous attempt after its earliest instant.
    let slack = 0;
    for (const [index, step] of scheduleSeconds.slice(1).entries()) {
      const { before, after } = windowOf(step, jitter);
      if (!(await canPass(session, after)))
        return index === 0
          ? { [RETRY]: UNMOVED, [KEPT]: UNMOVED, [TIMESTAMP]: UNMOVED }
          : undefined;
      const count: number = place.attempts.length;
      const early = Math.max(0, before - slack);
      if (early > 0) await pass(session, early);
      must(RETRY, place.attempts.length === count, () => {
        return `attempt ${count + 1} is due ${step} s after the one before, but arrived sooner`;
      });
      await pass(session, after - early);
      await place.until((all) => all.length > count, receiver?.deliveryMs ?? 0);
      // In a dense schedule the next attempts may fall into the same window.
      const following = (scheduleSeconds[index + 2] ?? Infinity) * (1 - jitter) * 1000;
      const most = 1 + Math.floor((after - early) / following);
      const came = place.attempts.length - count;
      must(RETRY, came >= 1 && came <= most, () => {
        return `attempt ${count + 1} is due ${step} s after the one before: expected 1, got ${came}`;
      });
      slack += after - before;
      for (const again of place.attempts.slice(count)) {
        must(KEPT, Buffer.from(first.body).equals(again.body), () => {
          return `a later attempt has other bytes than the first: ${Buffer.from(again.body).toString()}`;
        });
        const time = requireGenuine(again, secretKey, profile);
        must(TIMESTAMP, time === undefined || firstTime === undefined || time > firstTime, () => {
          return `attempt ${count + 1} is signed with the first one's timestamp, ${String(firstTime)}`;
        });
      }
    }
    const made = place.attempts.length;
    await pass(session, BEYOND_MS);
    must(RETRY, place.attempts.length === made, () => {
      return `the schedule ends after ${made} attempts, got ${place.attempts.length}`;
    });
    return undefined;
  },
});

const AFTER = "P-EVENT-RETRY-AFTER";

export const retryAfter: ProviderCheck = singleCheck({
  id: "provider/retry-after",
  title:
    "Retry-After (seconds or a date) delays the next attempt, up to the profile's factor of the schedule's step",
  requirements: [AFTER],
  play: async (session) => {
    const { profile, receiver } = session.target;
    const { scheduleSeconds, jitter, retryAfterFactor: factor } = profile.delivery;
    const step = scheduleSeconds[1];
    if (step === undefined) return { [AFTER]: "the schedule has only one attempt" };
    const [latest, most] = [step * (1 + jitter), step * factor];
    // Whole seconds, since headers and some clocks have no fractions.
    const soon = Math.floor(latest) + 1;
    const within = Math.floor(soon + (most - soon) / 2) + 1;
    if (within >= most) return { [AFTER]: "the profile's factor leaves no time between" };
    if (!(await canPass(session, (most + 1) * 1000))) return { [AFTER]: UNMOVED };

    // A date is in real time, wherever the target's clock is.
    const asked = [
      ["1", () => "1"],
      [String(within), () => String(within)],
      ["far beyond", () => String(Math.ceil(most) * 100)],
      [`a date in ${within} s`, () => new Date(Date.now() + within * 1000).toUTCString()],
      ["a date that has passed", () => new Date(Date.now() - 86_400_000).toUTCString()],
    ] as const;
    const ids: (string | undefined)[] = [];
    const place = session.receive(({ body }) => {
      const id = idOf(body, profile);
      if (!ids.includes(id)) ids.push(id);
      const [, value = () => "0"] = asked[ids.indexOf(id)] ?? [];
      return { status: 503, headers: { "retry-after": value() } };
    });
    const [type = ""] = typesOf(profile);
    const details = onlyEvent(type);
    await subscribe(session, { requirement: AFTER, url: place.url, details });
    for (const [index] of asked.entries()) {
      await emit(session, type);
      await place.until(() => ids.length > index, receiver?.deliveryMs ?? 0);
    }
    await settled(session);
    const counts = (): readonly number[] =>
      ids.map((id) => place.attempts.filter(({ body }) => idOf(body, profile) === id).length);
    const expect = (wanted: readonly number[], when: string): void => {
      const seen = counts();
      for (const [index, count] of wanted.entries()) {
        must(AFTER, seen[index] === count, () => {
          return `Retry-After: ${asked[index]?.[0]}, of a step of ${step} s, ${when}: expected ${count} attempts, got ${seen[index]}`;
        });
      }
    };
    expect([1, 1, 1, 1, 1], "at once");
    const early = windowOf(step, jitter).before / 1000;
    await pass(session, early * 1000);
    expect([1, 1, 1, 1, 1], `after ${early} s`);
    await pass(session, (soon - early) * 1000);
    const limit = receiver?.deliveryMs ?? 0;
    await place.until(() => [0, 4].every((index) => (counts()[index] ?? 0) > 1), limit);
    expect([2, 1, 1, 1, 2], `after ${soon} s`);
    const end = Math.ceil(most) + 1;
    await pass(session, (end - soon) * 1000);
    await place.until(() => counts().every((count) => count > 1), limit);
    expect([2, 2, 2, 2], `after ${end} s`);
    return undefined;
  },
});
