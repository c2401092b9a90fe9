import type { ReceiverCheck } from "../check.ts";
import type { Sender } from "../harness/attempt-sender.ts";
import type { TestEvent } from "../harness/events.ts";
import { sleep } from "../harness/clock.ts";
import { receiverCheck } from "./receiver-check.ts";
import type { Reply } from "../harness/message.ts";
import { NO_FAILURES } from "../harness/effects.ts";
import { explore } from "./histories.ts";

const AFTER_HANDLER = "R-ACK-AFTER-HANDLER";
const FAILED = "R-ACK-FAILED";
const RETRY_AFTER = "R-ACK-RETRY-AFTER";
const IN_TIME = "R-ACK-IN-TIME";
const requirements = [AFTER_HANDLER, FAILED, RETRY_AFTER, IN_TIME] as const;

const MAX_ATTEMPTS = 4;
const MAX_WAIT_MS = 2000;
/** Reads of the effects before an event counts as lost. */
const LATE_READS = 3;
/** Seconds above which Retry-After was probably meant in milliseconds. */
const LONG_SECONDS = 3600;

export const failing: ReceiverCheck = receiverCheck({
  id: "receiver/failing",
  title: "an attempt whose handler fails is not acknowledged, and the next one runs it again",
  requirements,
  isSearch: true,
  run: async (sender) => {
    const { verdicts, target, seed } = sender;
    const unseen = (reason: string): void => {
      for (const requirement of requirements) verdicts.notApplicable(requirement, reason);
    };
    if (target.effects === undefined) return unseen(sender.noEffects());
    if (!(await target.effects.failNext(0))) return unseen(NO_FAILURES);
    unseen("every handler succeeded, though it was ordered to fail");
    const { catalogue } = target.profile;
    const categories = [...Map.groupBy(catalogue, ({ category }) => category).values()];
    const rows = [catalogue, ...categories].map((some) => some[seed % some.length]);
    for (const [index, row] of rows.entries())
      // Each further one would take as long.
      if (!verdicts.hasFailed(FAILED))
        await fails(sender, sender.event({ row }), index === 0 ? 3 : 1 + (index % 2));
    if (verdicts.hasFailed(FAILED)) return undefined;
    const found = await explore(sender);
    if (found) verdicts.fail(FAILED, found.message, found.exchanges);
    return undefined;
  },
});

async function fails(sender: Sender, event: TestEvent, times: number): Promise<void> {
  const { verdicts, target } = sender;
  sender.requirement = FAILED;
  const replies: Reply[] = [];
  for (let turn = 0; turn < times; turn += 1) {
    await target.effects?.failNext(1);
    const attempt = sender.attempt(event, { what: `${event.type}, whose handler fails` });
    const reply = await sender.post(attempt, { isOnce: true });
    replies.push(reply);
    const isLate = reply.failure === "timeout";
    verdicts.expect(IN_TIME, !isLate, () => reply.insteadOf(`${event.type}: the handler failed`), [
      reply,
    ]);
    if (reply.isAcknowledged || isLate) break;
  }
  const last = replies.at(-1);
  if (last === undefined) return;
  const isLost = last.isAcknowledged && !(await showsInTheEnd(sender, event));
  // Not earlier: a handler that runs after the answer would find nothing that makes it fail.
  await target.effects?.failNext(0);
  const nth = replies.length === 1 ? "" : `, ${replies.length} times in a row`;
  if (last.isAcknowledged) {
    // Acknowledged once it was stored: it keeps its promise by itself.
    const itself = "it acknowledges what it has stored, and ran the handler again by itself";
    if (!isLost) {
      verdicts.notApplicable(AFTER_HANDLER, itself);
      return;
    }
    for (const requirement of [AFTER_HANDLER, FAILED])
      verdicts.fail(
        requirement,
        `${event.type}: the handler failed${nth}, got ${last.summary}, and it has not run again: the event is lost`,
        replies,
      );
    return;
  }
  verdicts.pass(AFTER_HANDLER);
  for (const reply of replies) judgeRetryAfter(sender, reply);
  const next = await untilTaken(sender, event, last);
  const seen = await sender.effects(next.isAcknowledged ? [event.id] : []);
  const count = seen?.count(event.id) ?? 1;
  verdicts.expect(
    FAILED,
    next.isAcknowledged && count === 1,
    () => {
      return `${event.type}: after a failed handler${nth} the next attempt was answered by ${next.summary}, and the handler has succeeded ${count} times: once expected`;
    },
    [...replies, next],
  );
}

async function showsInTheEnd(sender: Sender, { id }: TestEvent): Promise<boolean> {
  for (let turn = 0; turn < LATE_READS; turn += 1) {
    const seen = await sender.effects([id]);
    if (seen === undefined || seen.count(id) > 0) return true;
    await sleep(sender.target.sockets.clock, sender.target.effectsWaitMs);
  }
  return false;
}

function judgeRetryAfter({ verdicts, target }: Sender, reply: Reply): void {
  const value = reply.header("retry-after");
  const ms = reply.retryAfterMs(target.sockets.clock.now());
  const isWhole = value !== undefined && (/^\d+$/.test(value) || Number.isNaN(Number(value)));
  const what =
    reply.status !== 503 || value === undefined
      ? `expected 503 with Retry-After, got ${reply.summary} ${value === undefined ? "without" : "with"} Retry-After`
      : ms === undefined || !isWhole
        ? `Retry-After: ${value} is neither whole seconds nor a date`
        : `Retry-After: ${value} is more than an hour: its unit is seconds`;
  const isShort = ms !== undefined && isWhole && ms <= LONG_SECONDS * 1000;
  verdicts.expect(RETRY_AFTER, reply.status === 503 && isShort, () => what, [reply]);
}

/** The sender's next attempts, for a few seconds, no sooner than the receiver asked. */
async function untilTaken(sender: Sender, event: TestEvent, first: Reply): Promise<Reply> {
  const { clock } = sender.target.sockets;
  let last = first;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    // The first retry is sent at once: a failure must not block it.
    if (attempt > 0) await sleep(clock, Math.min(last.retryAfterMs(clock.now()) ?? 0, MAX_WAIT_MS));
    last = await sender.post(sender.attempt(event), { isOnce: true });
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
  run: async (sender) => {
    const { verdicts, target } = sender;
    if (target.effects === undefined) {
      verdicts.notApplicable(HANGING, sender.noEffects());
      return;
    }
    const none = 'its effects take no PUT {"hangNext": n} that makes handlers hang';
    if (!(await target.effects.hangNext(1))) {
      verdicts.notApplicable(HANGING, none);
      return;
    }
    const attempt = sender.genuine();
    const { id } = attempt.event;
    const reply = await sender.post(attempt, { isOnce: true });
    await target.effects.hangNext(0);
    const seen = reply.isAcknowledged ? await sender.effects([id]) : undefined;
    if ((seen?.count(id) ?? 0) > 0) {
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
  run: async (sender) => {
    const { verdicts, target } = sender;
    const { perSecond } = target.sockets;
    if (perSecond !== undefined && perSecond < AT_ONCE) {
      const reason = `it takes ${AT_ONCE} events at once, and ${perSecond} a second are the cap`;
      return verdicts.notApplicable(SHED, reason);
    }
    // With one timestamp, since their order does not matter here.
    const at = target.sockets.clock.now();
    const events = Array.from({ length: AT_ONCE }, () => sender.event({ at }));
    const first = await sender.postTogether(events.map((event) => sender.attempt(event)));
    const last = await untilAllTaken(sender, events, first);
    const seen = await sender.effects(
      events.filter((_, index) => last[index]?.isAcknowledged).map(({ id }) => id),
    );
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
      const isHandled = seen.count(event.id) > 0;
      const fault = (): string =>
        `${what}: acknowledged${isShed ? " in the end" : ""}, and its handler has not run`;
      if (isShed) verdicts.expect(SHED, isHandled, fault, [reply, final]);
      else if (!isHandled) verdicts.fail(SHED, fault(), [reply, final]);
    });
    return undefined;
  },
});

/** The sender's next attempts of what was not taken, as long as some rounds bring more of it. */
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
