import type { ReceiverCheck } from "../check.ts";
import { sleep } from "../harness/clock.ts";
import { NO_FAILURES } from "../harness/effects.ts";
import type { Reply } from "../harness/message.ts";
import type { TestEvent } from "../harness/provider-events.ts";
import type { Sender } from "../harness/sender.ts";
import { explore } from "./histories.ts";
import { receiverCheck } from "./receiver-check.ts";

const AFTER_HANDLER = "R-ACK-AFTER-HANDLER";
const FAILED = "R-ACK-FAILED";
const RETRY_AFTER = "R-ACK-RETRY-AFTER";
const IN_TIME = "R-ACK-IN-TIME";
const DUPLICATE = "R-ONCE-DUPLICATE";
const CONCURRENT = "R-ONCE-CONCURRENT";
const IN_PROGRESS = "R-ACK-IN-PROGRESS";
const requirements = [
  AFTER_HANDLER,
  FAILED,
  RETRY_AFTER,
  IN_TIME,
  DUPLICATE,
  CONCURRENT,
  IN_PROGRESS,
] as const;

const MAX_ATTEMPTS = 4;
const MAX_WAIT_MS = 2000;
/** Reads of the effects before an event counts as lost. */
const LATE_READS = 3;
/** Seconds above which Retry-After was probably meant in milliseconds. */
const LONG_SECONDS = 3600;
/** Failures in a row of a receiver that retries by itself, and the longest first retry for which they are followed. */
const FAILURES = 4;
const QUICK_RETRY_MS = 700;

export const failing: ReceiverCheck = receiverCheck({
  id: "receiver/failing",
  title: "an attempt whose handler fails is not acknowledged, and the next one runs it again",
  requirements,
  isSearch: true,
  needsEffects: true,
  run: async (sender) => {
    const { verdicts, target, seed, events } = sender;
    const none = (reason: string): void => {
      for (const requirement of requirements) verdicts.notApplicable(requirement, reason);
    };
    if ((await target.effects?.failNext(0)) !== true) {
      none(NO_FAILURES);
      return;
    }
    none("every handler succeeded, though it was ordered to fail");
    const categories = [...Map.groupBy(events.rows, ({ category }) => category).values()];
    const rows = [events.rows, ...categories].map((some) => some[seed % some.length]);
    for (const [index, row] of rows.entries())
      // Each further one would take as long.
      if (!verdicts.hasFailed(FAILED))
        await fails(sender, sender.event({ row }), index === 0 ? 3 : 1 + (index % 2));
    if (verdicts.hasFailed(FAILED) || !events.hasId) return;
    const found = await explore(sender);
    if (found) verdicts.fail(found.requirement, found.message, found.exchanges);
    else for (const one of [DUPLICATE, CONCURRENT, IN_PROGRESS]) verdicts.pass(one);
  },
});

async function fails(sender: Sender, event: TestEvent, times: number): Promise<void> {
  const { verdicts, target } = sender;
  sender.requirement = FAILED;
  const replies: Reply[] = [];
  for (let turn = 0; turn < times; turn += 1) {
    await target.effects?.failNext(1);
    const what = `${event.type}, whose handler fails`;
    const attempt = sender.attempt(event, { what, ...(turn > 0 && { retries: turn }) });
    const reply = await sender.post(attempt, { isOnce: true });
    replies.push(reply);
    const isLate = reply.failure === "timeout";
    const failed = `${event.type}: the handler failed`;
    verdicts.expect(IN_TIME, !isLate, () => reply.insteadOf(failed), [reply]);
    if (reply.isAcknowledged || isLate) break;
  }
  const last = replies.at(-1);
  if (last === undefined) return;
  const nth = replies.length === 1 ? "" : `, ${replies.length} times in a row`;
  if (last.isAcknowledged) {
    const lateMs = await untilShown(sender, event, LATE_READS * target.effectsWaitMs);
    // Not earlier: a handler that runs after the answer would find nothing that makes it fail.
    await target.effects?.failNext(0);
    if (lateMs === undefined) {
      const lost = `${event.type}: the handler failed${nth}, got ${last.summary}, and it has not run again: the event is lost`;
      for (const requirement of [AFTER_HANDLER, FAILED]) verdicts.fail(requirement, lost, replies);
      return;
    }
    // Acknowledged once it was stored: it keeps its promise by itself.
    const itself = "it acknowledges what it has stored, and ran the handler again by itself";
    verdicts.notApplicable(AFTER_HANDLER, itself);
    if (lateMs < QUICK_RETRY_MS) await failsOften(sender, lateMs);
    return;
  }
  await target.effects?.failNext(0);
  verdicts.pass(AFTER_HANDLER);
  for (const reply of replies) checkRetryAfter(sender, reply);
  const next = await untilTaken(sender, event, last);
  const seen = await sender.effects(next.isAcknowledged ? [event] : []);
  const count = seen?.count(event) ?? 1;
  verdicts.expect(
    FAILED,
    next.isAcknowledged && count === 1,
    () =>
      `${event.type}: after a failed handler${nth} the next attempt was answered by ${next.summary}, and the handler has succeeded ${count} times: once expected`,
    [...replies, next],
  );
}

/** A receiver that retries by itself must not drop an event after a few failures in a row. */
async function failsOften(sender: Sender, firstRetryMs: number): Promise<void> {
  const { target, verdicts } = sender;
  await target.effects?.failNext(FAILURES);
  const attempt = sender.genuine({ what: `an attempt whose handler fails ${FAILURES} times` });
  const reply = await sender.post(attempt, { isOnce: true });
  if (reply.isAcknowledged) {
    // Each wait may be twice as long as the one before.
    const limitMs = firstRetryMs * 2 ** (FAILURES + 1) + target.effectsWaitMs;
    const isKept = (await untilShown(sender, attempt.event, limitMs)) !== undefined;
    verdicts.expect(
      FAILED,
      isKept,
      () =>
        `${attempt.what} was acknowledged, and has not run within ${limitMs} ms: the event is lost`,
      [reply],
    );
  }
  await target.effects?.failNext(0);
}

/** Milliseconds until an event's effect shows; `undefined` if it does not in time. */
async function untilShown(
  sender: Sender,
  event: TestEvent,
  limitMs: number,
): Promise<number | undefined> {
  const began = sender.now();
  do {
    const seen = await sender.effects([event]);
    if (seen === undefined || seen.count(event) > 0) return sender.now() - began;
    await sleep(sender.target.sockets.clock, 50);
  } while (sender.now() - began < limitMs);
  return undefined;
}

/** A strict receiver answers 503 with Retry-After; others must not blame the sender, nor write what it misreads. */
function checkRetryAfter({ verdicts, target }: Sender, reply: Reply): void {
  const value = reply.header("retry-after");
  const { status = 0 } = reply;
  const ms = reply.retryAfterMs(target.sockets.clock.now());
  const isWhole = value !== undefined && (/^\d+$/.test(value) || Number.isNaN(Number(value)));
  const isShort = ms !== undefined && isWhole && ms <= LONG_SECONDS * 1000;
  const isStrict = status === 503 && isShort;
  const isLax =
    (status >= 500 || status === 409 || status === 429) && (value === undefined || isShort);
  const what =
    value === undefined || (target.strict && status !== 503) || isShort
      ? `expected 503 with Retry-After, got ${reply.summary} ${value === undefined ? "without" : "with"} Retry-After`
      : ms === undefined || !isWhole
        ? `Retry-After: ${value} is neither whole seconds nor a date`
        : `Retry-After: ${value} is more than an hour: its unit is seconds`;
  verdicts.expect(RETRY_AFTER, target.strict ? isStrict : isLax, () => what, [reply]);
}

/** The sender's next attempts, for a few seconds, no sooner than the receiver asked. */
async function untilTaken(sender: Sender, event: TestEvent, first: Reply): Promise<Reply> {
  const { clock } = sender.target.sockets;
  let last = first;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    // The first retry is sent at once: a failure must not block it.
    if (attempt > 0) await sleep(clock, Math.min(last.retryAfterMs(clock.now()) ?? 0, MAX_WAIT_MS));
    const retry = sender.attempt(event, { retries: attempt + 1 });
    last = await sender.post(retry, { isOnce: true });
    if (last.isAcknowledged) break;
  }
  return last;
}

const HANGING = "R-ACK-HANGING";

export const hanging: ReceiverCheck = receiverCheck({
  id: "receiver/hanging",
  title:
    "an attempt with a hanging handler is answered before the sender gives up, and not acknowledged",
  requirements: [HANGING],
  slow: true,
  needsEffects: true,
  run: async (sender) => {
    const { verdicts, target } = sender;
    const none = 'its effects take no PUT {"hangNext": n} that makes handlers hang';
    if ((await target.effects?.hangNext(1)) !== true) {
      verdicts.notApplicable(HANGING, none);
      return;
    }
    const attempt = sender.genuine();
    const reply = await sender.post(attempt, { isOnce: true });
    await target.effects?.hangNext(0);
    const seen = reply.isAcknowledged ? await sender.effects([attempt.event]) : undefined;
    if ((seen?.count(attempt.event) ?? 0) > 0) {
      verdicts.notApplicable(HANGING, "the handler did not hang, though it was ordered to");
      return;
    }
    const isRefused = reply.status !== undefined && !reply.isAcknowledged;
    verdicts.expect(
      HANGING,
      isRefused,
      () => {
        const more = reply.isAcknowledged ? ", and its handler has not ended" : "";
        return `expected a refusal within ${target.sockets.deadlineMs} ms, got ${reply.summary}${more}`;
      },
      [reply],
    );
  },
});

const SHED = "R-LOAD-SHED";

const AT_ONCE = 64;
const ROUND_MS = 100;
/** Consecutive rounds without an accepted attempt, after which no sender retries. */
const IDLE_ROUNDS = 5;

export const load: ReceiverCheck = receiverCheck({
  id: "receiver/load",
  title: "of many concurrent events none is lost: those that are not handled are answered 503",
  requirements: [SHED],
  needsEffects: true,
  run: async (sender) => {
    const { verdicts, target } = sender;
    const { perSecond } = target.sockets;
    if (perSecond !== undefined && perSecond < AT_ONCE) {
      const reason = `it takes ${AT_ONCE} events at once, and ${perSecond} a second are the cap`;
      verdicts.notApplicable(SHED, reason);
      return;
    }
    // With one timestamp, since their order does not matter here.
    const at = target.sockets.clock.now();
    const events = Array.from({ length: AT_ONCE }, () => sender.event({ at }));
    const first = await sender.postTogether(events.map((event) => sender.attempt(event)));
    const last = await untilAllTaken(sender, events, first);
    const seen = await sender.effects(events.filter((_, index) => last[index]?.isAcknowledged));
    const together = first.filter((reply) => reply !== undefined);
    const isShed = together.some((reply) => !reply.isAcknowledged);
    if (seen === undefined) verdicts.notApplicable(SHED, sender.noEffects());
    else if (!isShed)
      verdicts.notApplicable(SHED, `${together.length} events at once are within its limit`);
    const what = `one of ${together.length} events at once`;
    events.forEach((event, index) => {
      const [reply, final] = [first[index], last[index]];
      const isRight = reply?.isAcknowledged !== false || reply.isBusy;
      if (!isRight)
        verdicts.fail(
          SHED,
          `${what}: expected 503 if it is not handled, got ${reply?.summary ?? ""}`,
          [reply, final],
        );
      if (final === undefined) return;
      if (!final.isAcknowledged)
        verdicts.fail(SHED, `${what}: its later attempts are answered by ${final.summary}`, [
          reply,
          final,
        ]);
      if (seen === undefined || !final.isAcknowledged) return;
      const isHandled = seen.count(event) > 0;
      const fault = (): string =>
        `${what}: acknowledged${isShed ? " in the end" : ""}, and its handler has not run`;
      if (isShed) verdicts.expect(SHED, isHandled, fault, [reply, final]);
      else if (!isHandled) verdicts.fail(SHED, fault(), [reply, final]);
    });
  },
});

/** The sender's next attempts of what was not accepted, as long as some rounds bring more of it. */
async function untilAllTaken(
  sender: Sender,
  events: readonly TestEvent[],
  first: readonly (Reply | undefined)[],
): Promise<readonly (Reply | undefined)[]> {
  const replies = new Map(events.map((event, index) => [event, first[index]]));
  const missing = (): readonly TestEvent[] =>
    events.filter((event) => replies.get(event)?.isAcknowledged !== true);
  for (let idle = 0, left = missing(); idle < IDLE_ROUNDS && left.length > 0;) {
    await sleep(sender.target.sockets.clock, ROUND_MS);
    const sent = await sender.postAll(left.map((event) => sender.attempt(event)));
    for (const { event, reply } of sent) replies.set(event, reply);
    const before = left.length;
    left = missing();
    idle = left.length < before ? 0 : idle + 1;
  }
  return [...replies.values()];
}
