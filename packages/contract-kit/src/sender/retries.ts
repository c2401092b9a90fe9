import { setTimeout } from "node:timers/promises";
import type { Endpoint, ReceivedAttempt } from "../harness/endpoints.ts";
import { expectGenuine } from "./attempts.ts";
import type { TestedSender, SenderScenario, Subscription } from "./tested-sender.ts";

const RETRY = "P-EVENT-RETRY";
const KEPT = "P-EVENT-ID-KEPT";
const TIMESTAMP = "P-EVENT-TIMESTAMP";
const BACKOFF = "P-EVENT-BACKOFF";

/** Milliseconds after which two attempts cannot have one timestamp in whole seconds. */
const SECOND_MS = 1010;
/** Longer than any wait of a finite schedule. */
const BEYOND_MS = 3 * 86_400_000;
/** The reason if a check cannot let enough time pass. */
export const TOO_LONG =
  "the first wait before a retry is too long to be waited for, and no clock can be moved";

/**
 * The range, in milliseconds after a failed attempt, in which the next one must arrive: from just before
 * its earliest to just after its latest instant. Whole seconds, since some clocks have no fractions; one of them may
 * have passed while the first attempt was settled.
 */
export function windowOf(
  stepSeconds: number,
  jitter: number,
): { earliest: number; latest: number } {
  return {
    earliest: Math.max(0, Math.ceil(stepSeconds * (1 - jitter)) - 2) * 1000,
    latest: (Math.floor(stepSeconds * (1 + jitter)) + 1) * 1000,
  };
}

/**
 * Returns the milliseconds in which the second attempt arrives, by the schedule or as measured before; `undefined` if a
 * check cannot let them pass.
 */
export async function secondAttemptMs(
  sender: TestedSender,
  ...requirements: readonly string[]
): Promise<number | undefined> {
  const { sending, retryMs } = sender;
  const scheduled =
    sending && windowOf(sending.scheduleSeconds[1] ?? Infinity, sending.jitter).latest;
  const ms = scheduled ?? retryMs;
  if (ms !== undefined && (await sender.canWait(ms))) return ms;
  const reason = ms === undefined ? "no retry was seen before" : TOO_LONG;
  for (const requirement of requirements) sender.notApplicable(requirement, reason);
  return undefined;
}

export const retries: SenderScenario = {
  id: "sender/retries",
  title: "a failed attempt is repeated by the schedule, with the same bytes and a new signature",
  run: async (sender) => {
    const answer = (): { status: number } => ({ status: 500 });
    const subscription = await sender.subscribe({ answer });
    const { endpoint, secret } = subscription;
    await sender.emit();
    await endpoint.until((all) => all.length > 0);
    await sender.settled();
    const [first, ...more] = endpoint.attempts;
    sender.expect(RETRY, first !== undefined, `no attempt of ${sender.types[0]} arrived`);
    if (first === undefined) return;
    // Some senders make the second attempt soon.
    const most = sender.sending === undefined ? 2 : 0;
    sender.expect(RETRY, more.length <= most, "the answer 500 was met by more attempts at once");
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
  sender: TestedSender,
  { first, firstTime }: { first: ReceivedAttempt; firstTime: number | undefined },
  again: ReceivedAttempt,
  secret: string,
): void {
  const [id, own] = [first, again].map((attempt) => sender.reader.facts(attempt).id);
  sender.expectEqual(KEPT, "a retry's id", own, id);
  const changed = `a retry has other bytes than the first attempt: ${Buffer.from(again.body).toString()}`;
  sender.expect(KEPT, Buffer.from(first.body).equals(again.body), changed);
  const time = expectGenuine(sender, again, secret);
  const isLater = again.at - first.at >= SECOND_MS;
  const stale = `a retry is signed with the first attempt's timestamp, ${String(firstTime)}`;
  if (time !== undefined && firstTime !== undefined && isLater)
    sender.expect(TIMESTAMP, time > firstTime, stale);
}

/** Without a schedule, one retry must come, not at once, and further ones after longer delays. */
async function measuredRetry(sender: TestedSender, { endpoint }: Subscription): Promise<void> {
  const { provider } = sender.reader;
  if (provider.retries === "none")
    return [RETRY, BACKOFF, KEPT].forEach((one) =>
      sender.notApplicable(one, `${provider.title} does not retry`),
    );
  const ms = (await sender.measureRetry?.(endpoint)) ?? 0;
  const none = `after the answer 500: expected another attempt within ${Math.round(ms / 1000)} s (--wait), got none`;
  if (sender.expect(RETRY, endpoint.attempts.length > 1, none))
    await expectLongerDelays(sender, endpoint);
}

/** Waits this multiple of the first delay for further attempts: two of the same length would fit. */
const FURTHER = 2.5;
/** By how much equal delays may differ: they are measured on a machine that does other work. */
const EVEN = 1.25;
/** Milliseconds in which a third attempt is that of a loop, however the delays differ. */
const LOOP_MS = 500;

async function expectLongerDelays(sender: TestedSender, endpoint: Endpoint): Promise<void> {
  const { retryMs } = sender;
  if (retryMs === undefined || retryMs === 0)
    return sender.notApplicable(BACKOFF, "a command makes the sender repeat at once (--repeat)");
  const limitMs = FURTHER * retryMs + SECOND_MS / 2;
  if (!(await sender.canWait(limitMs))) return sender.notApplicable(BACKOFF, TOO_LONG);
  await endpoint.until(({ length }) => length > 3, limitMs);
  const times = endpoint.attempts.slice(0, 4).map(({ at }) => at);
  const delays = times.slice(1).map((at, index) => at - (times[index] ?? at));
  const areEven = delays.length > 2 && Math.max(...delays) <= Math.min(...delays) * EVEN;
  const isLoop = (times[2] ?? Infinity) - (times[0] ?? 0) < LOOP_MS;
  const seconds = delays.map((ms) => (ms / 1000).toFixed(1)).join(", ");
  const constant = `the delays between attempts do not grow: ${seconds} s`;
  sender.expect(BACKOFF, !areEven && !isLoop, constant);
}

async function scheduledRetries(
  sender: TestedSender,
  { endpoint }: Subscription,
  { scheduleSeconds, jitter }: NonNullable<TestedSender["sending"]>,
): Promise<void> {
  const { attempts } = endpoint;
  // Largest delay of the previous attempt after its earliest instant.
  let slack = 0;
  for (const [index, step] of scheduleSeconds.slice(1).entries()) {
    const { earliest, latest } = windowOf(step, jitter);
    if (!(await sender.canWait(latest)))
      return index === 0
        ? [RETRY, KEPT].forEach((one) => sender.notApplicable(one, TOO_LONG))
        : undefined;
    const count = attempts.length;
    const due = `attempt ${count + 1} is due ${step} s after the one before`;
    const early = Math.max(0, earliest - slack);
    let wait = early;
    const last = windowOf(scheduleSeconds[index] ?? 0, jitter).latest;
    if (index === 1 && last < early) {
      await sender.wait(last);
      wait -= last;
      const what = `attempts as soon after attempt ${count} as that after the one before`;
      sender.expectEqual(BACKOFF, what, attempts.length - count, 0);
    }
    if (wait > 0) await sender.wait(wait);
    sender.expectEqual(RETRY, `${due}: attempts before then`, attempts.length - count, 0);
    await sender.wait(latest - early);
    await endpoint.until(() => attempts.length > count);
    // In a dense schedule the next attempts may fall into the same window.
    const following = (scheduleSeconds[index + 2] ?? Infinity) * (1 - jitter) * 1000;
    const most = 1 + Math.floor((latest - early) / following);
    const arrived = attempts.length - count;
    const isDue = arrived >= 1 && arrived <= most;
    if (!sender.expect(RETRY, isDue, `${due}: expected 1, got ${arrived}`)) return;
    slack += latest - earliest;
  }
  const made = attempts.length;
  await sender.wait(BEYOND_MS);
  sender.expectEqual(RETRY, "attempts after the end of the schedule", attempts.length - made, 0);
}
