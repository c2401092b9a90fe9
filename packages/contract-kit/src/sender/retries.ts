import { setTimeout } from "node:timers/promises";
import type { ReceivedAttempt } from "../harness/endpoints.ts";
import { expectGenuine } from "./attempts.ts";
import type { Sender, SenderScenario, Subscription } from "./sender.ts";

const RETRY = "P-EVENT-RETRY";
const KEPT = "P-EVENT-ID-KEPT";
const TIMESTAMP = "P-EVENT-TIMESTAMP";

/** Milliseconds after which two attempts cannot have one timestamp in whole seconds. */
const SECOND_MS = 1010;
/** Longer than any wait of a finite schedule. */
const BEYOND_MS = 3 * 86_400_000;
const TOO_LONG =
  "the first wait before a retry is too long to be waited for, and no clock can be moved";

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

/**
 * Returns the milliseconds in which the second attempt arrives, by the schedule or as measured before; `undefined` if a
 * check cannot let them pass.
 */
export async function secondAttemptMs(
  sender: Sender,
  ...requirements: readonly string[]
): Promise<number | undefined> {
  const { sending, retryMs } = sender;
  const scheduled =
    sending && windowOf(sending.scheduleSeconds[1] ?? Infinity, sending.jitter).after;
  const ms = scheduled ?? retryMs;
  if (ms !== undefined && (await sender.canPass(ms))) return ms;
  const reason = ms === undefined ? "no retry was seen before" : TOO_LONG;
  for (const requirement of requirements) sender.notApplicable(requirement, reason);
  return undefined;
}

export const retries: SenderScenario = {
  id: "sender/retries",
  title: "a failed attempt is repeated by the schedule, with the same bytes and a new signature",
  requirements: [RETRY, KEPT, TIMESTAMP, "P-EVENT-SIGNED", "P-EVENT-HEADERS", "P-EVENT-NO-SECRETS"],
  run: async (sender) => {
    const answer = (): { status: number } => ({ status: 500 });
    const subscription = await sender.subscribe({ answer, types: sender.types.slice(0, 1) });
    const { endpoint, secret } = subscription;
    await sender.emit();
    await endpoint.until((all) => all.length > 0);
    await sender.settled();
    const [first, ...more] = endpoint.attempts;
    sender.expect(RETRY, first !== undefined, () => `no attempt of ${sender.types[0]} arrived`);
    if (first === undefined) return;
    // Some senders make the second attempt soon.
    const most = sender.sending === undefined ? 2 : 0;
    sender.expect(RETRY, more.length <= most, () => {
      return "the answer 500 was met by more attempts at once";
    });
    const firstTime = expectGenuine(sender, first, secret);

    // Receivers compare the signature's timestamp with their own clock: it is real time, wherever the target's clock is.
    await setTimeout(Math.max(0, first.at + SECOND_MS - Date.now()));
    await (sender.sending === undefined
      ? measuredRetry(sender, subscription)
      : scheduledRetries(sender, subscription, sender.sending));
    for (const again of endpoint.attempts.slice(1))
      expectRepeated(sender, { first, firstTime }, again, secret);
  },
};

function expectRepeated(
  sender: Sender,
  { first, firstTime }: { first: ReceivedAttempt; firstTime: number | undefined },
  again: ReceivedAttempt,
  secret: string,
): void {
  const [id, own] = [first, again].map((attempt) => sender.reader.facts(attempt).id);
  sender.expect(KEPT, own === id, () => `a retry has the id ${String(own)}, not ${String(id)}`);
  sender.expect(KEPT, Buffer.from(first.body).equals(again.body), () => {
    return `a retry has other bytes than the first attempt: ${Buffer.from(again.body).toString()}`;
  });
  const time = expectGenuine(sender, again, secret);
  const isLater = again.at - first.at >= SECOND_MS;
  if (time !== undefined && firstTime !== undefined && isLater)
    sender.expect(TIMESTAMP, time > firstTime, () => {
      return `a retry is signed with the first attempt's timestamp, ${String(firstTime)}`;
    });
}

/** Without a schedule, one retry must come, and not at once. */
async function measuredRetry(sender: Sender, { endpoint }: Subscription): Promise<void> {
  if (sender.reader.provider.retries === "none")
    return [RETRY, KEPT].forEach((one) =>
      sender.notApplicable(one, `${sender.reader.provider.title} does not retry`),
    );
  const ms = (await sender.retry?.(endpoint)) ?? 0;
  sender.expect(RETRY, endpoint.attempts.length > 1, () => {
    return `after the answer 500: expected another attempt within ${Math.round(ms / 1000)} s (--wait), got none`;
  });
}

async function scheduledRetries(
  sender: Sender,
  { endpoint }: Subscription,
  { scheduleSeconds, jitter }: NonNullable<Sender["sending"]>,
): Promise<void> {
  const { attempts } = endpoint;
  // Largest delay of the previous attempt after its earliest instant.
  let slack = 0;
  for (const [index, step] of scheduleSeconds.slice(1).entries()) {
    const { before, after } = windowOf(step, jitter);
    if (!(await sender.canPass(after)))
      return index === 0
        ? [RETRY, KEPT].forEach((one) => sender.notApplicable(one, TOO_LONG))
        : undefined;
    const count = attempts.length;
    const due = `attempt ${count + 1} is due ${step} s after the one before`;
    const early = Math.max(0, before - slack);
    if (early > 0) await sender.pass(early);
    sender.expect(RETRY, attempts.length === count, () => `${due}, but arrived sooner`);
    await sender.pass(after - early);
    await endpoint.until(() => attempts.length > count);
    // In a dense schedule the next attempts may fall into the same window.
    const following = (scheduleSeconds[index + 2] ?? Infinity) * (1 - jitter) * 1000;
    const most = 1 + Math.floor((after - early) / following);
    const arrived = attempts.length - count;
    const isDue = arrived >= 1 && arrived <= most;
    if (!sender.expect(RETRY, isDue, () => `${due}: expected 1, got ${arrived}`)) return;
    slack += after - before;
  }
  const made = attempts.length;
  await sender.pass(BEYOND_MS);
  sender.expect(RETRY, attempts.length === made, () => {
    return `${attempts.length - made} more attempts after the end of the schedule`;
  });
}

const AFTER = "P-EVENT-RETRY-AFTER";

export const retryAfter: SenderScenario = {
  id: "sender/retry-after",
  title:
    "Retry-After (seconds or a date) delays the next attempt, up to the factor of the schedule's step",
  requirements: [AFTER],
  run: async (sender) => {
    const { sending, reader } = sender;
    const step = sending?.scheduleSeconds[1];
    if (sending === undefined || step === undefined) return waitsAsAsked(sender);
    const { jitter, retryAfterFactor: factor } = sending;
    const [latest, most] = [step * (1 + jitter), step * factor];
    // Whole seconds, since headers and some clocks have no fractions.
    const soon = Math.floor(latest) + 1;
    const within = Math.floor(soon + (most - soon) / 2) + 1;
    if (within >= most)
      return sender.notApplicable(AFTER, "the sender's factor leaves no time between");
    if (!(await sender.canPass((most + 1) * 1000))) return sender.notApplicable(AFTER, TOO_LONG);

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
    const { endpoint } = await sender.subscribe({
      answer: reader.answerEach(answers),
      types: sender.types.slice(0, 1),
    });
    for (const [index] of asked.entries()) {
      await sender.emit();
      await endpoint.until(() => reader.byEvent(endpoint).size > index);
    }
    await sender.settled();
    const counts = (): readonly number[] =>
      [...reader.byEvent(endpoint).values()].map(({ length }) => length);
    const expectCounts = (wanted: readonly number[], when: string): void => {
      const seen = counts();
      for (const [index, count] of wanted.entries())
        sender.expect(AFTER, seen[index] === count, () => {
          return `attempts after Retry-After: ${asked[index]?.[0]}, of a step of ${step} s, ${when}: expected ${count}, got ${seen[index]}`;
        });
    };
    expectCounts([1, 1, 1, 1, 1], "at once");
    const early = windowOf(step, jitter).before / 1000;
    await sender.pass(early * 1000);
    expectCounts([1, 1, 1, 1, 1], `after ${early} s`);
    await sender.pass((soon - early) * 1000);
    await endpoint.until(() => [0, 4].every((index) => (counts()[index] ?? 0) > 1));
    expectCounts([2, 1, 1, 1, 2], `after ${soon} s`);
    const end = Math.ceil(most) + 1;
    await sender.pass((end - soon) * 1000);
    await endpoint.until(() => counts().every((count) => count > 1));
    expectCounts([2, 2, 2, 2], `after ${end} s`);
  },
};

/** Seconds by which a retry must be later than the sender's own delay. */
const LATER_SECONDS = 2;

/** How much longer than Retry-After a sender may wait: by half, and by some seconds. */
const SPARE_FACTOR = 1.5;
const SPARE_SECONDS = 5;

/** Without a schedule, the next attempt is at least as late as Retry-After says, and not much later. */
async function waitsAsAsked(sender: Sender): Promise<void> {
  const usual = await secondAttemptMs(sender, AFTER);
  if (usual === undefined) return;
  if (usual === 0)
    return sender.notApplicable(AFTER, "a command makes the sender repeat at once (--repeat)");
  const seconds = Math.ceil(usual / 1000) + LATER_SECONDS;
  if (!(await sender.canPass(seconds * 1000))) return sender.notApplicable(AFTER, TOO_LONG);
  const asked = [
    ["seconds", () => String(seconds)],
    ["a date", () => new Date(Date.now() + seconds * 1000).toUTCString()],
  ] as const;
  const { endpoint } = await sender.subscribe({
    answer: sender.reader.answerEach(
      asked.map(([, value]) => () => ({ status: 503, headers: { "retry-after": value() } })),
    ),
    types: sender.types.slice(0, 1),
  });
  const events = (): readonly (readonly ReceivedAttempt[])[] => [
    ...sender.reader.byEvent(endpoint).values(),
  ];
  for (const [index] of asked.entries()) {
    await sender.emit();
    await endpoint.until(() => events().length > index);
  }
  // A date has whole seconds: it may be a second sooner.
  const latest = seconds * SPARE_FACTOR + SPARE_SECONDS;
  await endpoint.until(() => events().every(({ length }) => length > 1), latest * 1000);
  for (const [index, [form]] of asked.entries()) {
    const [first, second] = events()[index] ?? [];
    const waited = ((second?.at ?? Infinity) - (first?.at ?? 0)) / 1000;
    sender.expect(AFTER, waited >= seconds - 1 && waited < Infinity, () => {
      const got = second === undefined ? "no attempt" : `one after ${waited.toFixed(1)} s`;
      return `Retry-After of ${seconds} s as ${form}: expected the next attempt then, got ${got}`;
    });
  }
}
