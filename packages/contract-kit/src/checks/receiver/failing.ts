import type { ReceiverCheck } from "../../check.ts";
import type { Bench } from "../../harness/bench.ts";
import type { BenchEvent } from "../../harness/events.ts";
import { sleep } from "../../harness/clock.ts";
import { receiverCheck } from "../../harness/play.ts";
import type { Reply } from "../../harness/message.ts";
import { NO_FAILURES } from "../../harness/effects.ts";
import { explore } from "../../harness/states.ts";

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
  play: async (bench) => {
    const { docket, target, seed } = bench;
    const unseen = (reason: string): void => {
      for (const requirement of requirements) docket.unseen(requirement, reason);
    };
    if (target.effects === undefined) return unseen(bench.noEffects());
    if (!(await target.effects.failNext(0))) return unseen(NO_FAILURES);
    unseen("every handler succeeded, though it was ordered to fail");
    const { catalogue } = target.profile;
    const categories = [...Map.groupBy(catalogue, ({ category }) => category).values()];
    const rows = [catalogue, ...categories].map((some) => some[seed % some.length]);
    for (const [index, row] of rows.entries())
      // Each further one would take as long.
      if (!docket.hasFailed(FAILED))
        await fails(bench, bench.event({ row }), index === 0 ? 3 : 1 + (index % 2));
    if (docket.hasFailed(FAILED)) return undefined;
    const found = await explore(bench);
    if (found) docket.judge(FAILED, false, found.exchanges, () => found.message);
    return undefined;
  },
});

async function fails(bench: Bench, event: BenchEvent, times: number): Promise<void> {
  const { docket, target } = bench;
  docket.subject = FAILED;
  const replies: Reply[] = [];
  for (let turn = 0; turn < times; turn += 1) {
    await target.effects?.failNext(1);
    const attempt = bench.attempt(event, { what: `${event.type}, whose handler fails` });
    const reply = await bench.post(attempt, { isOnce: true });
    replies.push(reply);
    const isLate = reply.failure === "timeout";
    docket.answered(IN_TIME, !isLate, reply, `${event.type}: the handler failed`);
    if (reply.isAcknowledged || isLate) break;
  }
  const last = replies.at(-1);
  if (last === undefined) return undefined;
  const isLost = last.isAcknowledged && !(await showsInTheEnd(bench, event));
  // Not earlier: a handler that runs after the answer would find nothing that makes it fail.
  await target.effects?.failNext(0);
  const nth = replies.length === 1 ? "" : `, ${replies.length} times in a row`;
  if (last.isAcknowledged) {
    // Acknowledged once it was stored: it keeps its promise by itself.
    const itself = "it acknowledges what it has stored, and ran the handler again by itself";
    if (!isLost) return docket.unseen(AFTER_HANDLER, itself);
    for (const requirement of [AFTER_HANDLER, FAILED])
      docket.judge(requirement, false, replies, () => {
        return `${event.type}: the handler failed${nth}, got ${last.said}, and it has not run again: the event is lost`;
      });
    return undefined;
  }
  docket.judge(AFTER_HANDLER, true, [], () => "");
  for (const reply of replies) judgeRetryAfter(bench, reply);
  const next = await untilTaken(bench, event, last);
  const seen = await bench.effects(next.isAcknowledged ? [event.id] : []);
  const count = seen?.count(event.id) ?? 1;
  return docket.judge(FAILED, next.isAcknowledged && count === 1, [...replies, next], () => {
    return `${event.type}: after a failed handler${nth} the next attempt was answered by ${next.said}, and the handler has succeeded ${count} times: once expected`;
  });
}

async function showsInTheEnd(bench: Bench, { id }: BenchEvent): Promise<boolean> {
  for (let turn = 0; turn < LATE_READS; turn += 1) {
    const seen = await bench.effects([id]);
    if (seen === undefined || seen.count(id) > 0) return true;
    await sleep(bench.target.wire.clock, bench.target.effectsWaitMs);
  }
  return false;
}

function judgeRetryAfter({ docket, target }: Bench, reply: Reply): void {
  const value = reply.header("retry-after");
  const ms = reply.retryAfterMs(target.wire.clock.now());
  const isWhole = value !== undefined && (/^\d+$/.test(value) || Number.isNaN(Number(value)));
  const what =
    reply.status !== 503 || value === undefined
      ? `expected 503 with Retry-After, got ${reply.said} ${value === undefined ? "without" : "with"} Retry-After`
      : ms === undefined || !isWhole
        ? `Retry-After: ${value} is neither whole seconds nor a date`
        : `Retry-After: ${value} is more than an hour: its unit is seconds`;
  const isShort = ms !== undefined && isWhole && ms <= LONG_SECONDS * 1000;
  docket.judge(RETRY_AFTER, reply.status === 503 && isShort, [reply], () => what);
}

/** The sender's next attempts, for a few seconds, no sooner than the receiver asked. */
async function untilTaken(bench: Bench, event: BenchEvent, first: Reply): Promise<Reply> {
  const { clock } = bench.target.wire;
  let last = first;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    // The first retry is sent at once: a failure must not block it.
    if (attempt > 0) await sleep(clock, Math.min(last.retryAfterMs(clock.now()) ?? 0, MAX_WAIT_MS));
    last = await bench.post(bench.attempt(event), { isOnce: true });
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
  play: async (bench) => {
    const { docket, target } = bench;
    if (target.effects === undefined) return docket.unseen(HANGING, bench.noEffects());
    const none = 'its effects take no PUT {"hangNext": n} that makes handlers hang';
    if (!(await target.effects.hangNext(1))) return docket.unseen(HANGING, none);
    const attempt = bench.genuine();
    const { id } = attempt.event;
    const reply = await bench.post(attempt, { isOnce: true });
    await target.effects.hangNext(0);
    const seen = reply.isAcknowledged ? await bench.effects([id]) : undefined;
    if ((seen?.count(id) ?? 0) > 0)
      return docket.unseen(HANGING, "the handler did not hang, though it was ordered to");
    const isRefused = reply.status !== undefined && !reply.isAcknowledged;
    return docket.judge(HANGING, isRefused, [reply], () => {
      const more = reply.isAcknowledged ? ", and its handler has not ended" : "";
      return `expected a refusal within ${target.wire.deadlineMs} ms, got ${reply.said}${more}`;
    });
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
  play: async (bench) => {
    const { docket, target } = bench;
    const { perSecond } = target.wire;
    if (perSecond !== undefined && perSecond < AT_ONCE) {
      const reason = `it takes ${AT_ONCE} events at once, and ${perSecond} a second are the cap`;
      return docket.unseen(SHED, reason);
    }
    // With one timestamp, since their order does not matter here.
    const at = target.wire.clock.now();
    const events = Array.from({ length: AT_ONCE }, () => bench.event({ at }));
    const first = await bench.postTogether(events.map((event) => bench.attempt(event)));
    const last = await untilAllTaken(bench, events, first);
    const seen = await bench.effects(
      events.filter((_, index) => last[index]?.isAcknowledged).map(({ id }) => id),
    );
    const together = first.filter((reply) => reply !== undefined);
    const isShed = together.some((reply) => !reply.isAcknowledged);
    if (seen === undefined) docket.unseen(SHED, bench.noEffects());
    else if (!isShed) docket.unseen(SHED, `${together.length} events at once are within its limit`);
    const what = `one of ${together.length} events at once`;
    events.forEach((event, index) => {
      const [reply, final] = [first[index], last[index]];
      const isRight = reply?.isAcknowledged !== false || reply.isBusy;
      docket.refute(SHED, isRight, [reply, final], () => {
        return `${what}: expected 503 if it is not handled, got ${reply?.said ?? ""}`;
      });
      if (final === undefined) return;
      docket.refute(SHED, final.isAcknowledged, [reply, final], () => {
        return `${what}: its later attempts are answered by ${final.said}`;
      });
      if (seen === undefined || !final.isAcknowledged) return;
      const isHandled = seen.count(event.id) > 0;
      const fault = (): string =>
        `${what}: acknowledged${isShed ? " in the end" : ""}, and its handler has not run`;
      if (isShed) docket.judge(SHED, isHandled, [reply, final], fault);
      else docket.refute(SHED, isHandled, [reply, final], fault);
    });
    return undefined;
  },
});

/** The sender's next attempts of what was not taken, as long as some rounds bring more of it. */
async function untilAllTaken(
  bench: Bench,
  events: readonly BenchEvent[],
  first: readonly (Reply | undefined)[],
): Promise<readonly (Reply | undefined)[]> {
  const replies = new Map(events.map((event, index) => [event, first[index]]));
  const missing = (): readonly BenchEvent[] =>
    events.filter((event) => replies.get(event)?.isAcknowledged !== true);
  for (let idle = 0, left = missing(); idle < IDLE_ROUNDS && left.length > 0;) {
    await sleep(bench.target.wire.clock, ROUND_MS);
    const sent = await bench.postAll(left.map((event) => bench.attempt(event)));
    for (const { event, reply } of sent) replies.set(event, reply);
    const before = left.length;
    left = missing();
    idle = left.length < before ? 0 : idle + 1;
  }
  return [...replies.values()];
}
