import type { ReceiverCheck } from "../../check.ts";
import type { Bench, BenchEvent } from "../../harness/bench.ts";
import { sleep } from "../../harness/clock.ts";
import { NO_FAILURES } from "../../harness/effects.ts";
import { receiverCheck } from "../../harness/play.ts";
import type { Reply } from "../../harness/reply.ts";
import { explore, type Step } from "../../harness/states.ts";

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

/** Handlers that fail once or more often, for events of several types. */
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
        // oxlint-disable-next-line no-await-in-loop -- the control tells the next handler, whichever that is
        await fails(bench, bench.event({ row }), index === 0 ? 3 : 1 + (index % 2));
    if (docket.hasFailed(FAILED)) return undefined;
    await explored(bench);
    return undefined;
  },
});

async function fails(bench: Bench, event: BenchEvent, times: number): Promise<void> {
  const { docket, target } = bench;
  docket.subject = FAILED;
  const replies: Reply[] = [];
  for (let turn = 0; turn < times; turn += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each attempt meets one failure
    await target.effects?.failNext(1);
    const attempt = { ...bench.attempt(event), what: `${event.type}, whose handler fails` };
    // oxlint-disable-next-line no-await-in-loop -- attempts of one delivery never overlap
    const reply = await bench.post(attempt, { isOnce: true });
    replies.push(reply);
    const isLate = reply.received.kind === "none" && reply.received.why === "timeout";
    docket.judge(
      IN_TIME,
      !isLate,
      [reply],
      () => `${event.type}: the handler failed, got ${reply.said}`,
    );
    if (reply.isAcknowledged || isLate) break;
  }
  const last = replies.at(-1);
  if (last === undefined) return;
  const isLost = last.isAcknowledged && !(await showsInTheEnd(bench, event));
  // Only now: a handler that runs after the answer would find nothing that makes it fail.
  await target.effects?.mend();
  const nth = replies.length === 1 ? "" : `, ${replies.length} times in a row`;
  if (last.isAcknowledged) {
    // Acknowledged once it was stored: it keeps its promise by itself.
    if (!isLost) {
      docket.unseen(
        AFTER_HANDLER,
        "it acknowledges what it has stored, and ran the handler again by itself",
      );
      return;
    }
    for (const requirement of [AFTER_HANDLER, FAILED])
      docket.judge(
        requirement,
        false,
        replies,
        () =>
          `${event.type}: the handler failed${nth}, got ${last.said}, and it has not run again: the event is lost`,
      );
    return;
  }
  docket.judge(AFTER_HANDLER, true, [], () => "");
  for (const reply of replies) judgeRetryAfter(bench, reply);
  const next = await untilTaken(bench, event, last);
  const seen = await bench.effects(next.isAcknowledged ? [event.id] : []);
  const count = seen?.count(event.id) ?? 1;
  docket.judge(
    FAILED,
    next.isAcknowledged && count === 1,
    [...replies, next],
    () =>
      `${event.type}: after a failed handler${nth} the next attempt was answered by ${next.said}, and the handler has succeeded ${count} times: once expected`,
  );
}

/** True if the event's handler succeeds after all, within the time of a durable inbox's next run. */
async function showsInTheEnd(bench: Bench, { id }: BenchEvent): Promise<boolean> {
  for (let turn = 0; turn < LATE_READS; turn += 1) {
    // oxlint-disable-next-line no-await-in-loop -- asked again only if it has not shown
    const seen = await bench.effects([id]);
    if (seen === undefined || seen.count(id) > 0) return true;
    // oxlint-disable-next-line no-await-in-loop -- as above
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
  docket.judge(
    RETRY_AFTER,
    reply.status === 503 && ms !== undefined && isWhole && ms <= LONG_SECONDS * 1000,
    [reply],
    () => what,
  );
}

/** The sender's next attempts, for a few seconds, no sooner than the receiver asked. */
async function untilTaken(bench: Bench, event: BenchEvent, first: Reply): Promise<Reply> {
  const { clock } = bench.target.wire;
  let last = first;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    // The first retry is sent at once: a failure must not block it.
    // oxlint-disable-next-line no-await-in-loop -- attempts of one delivery never overlap
    if (attempt > 0) await sleep(clock, Math.min(last.retryAfterMs(clock.now()) ?? 0, MAX_WAIT_MS));
    // oxlint-disable-next-line no-await-in-loop -- as above
    last = await bench.post(bench.attempt(event), { isOnce: true });
    if (last.isAcknowledged) break;
  }
  return last;
}

/** Random histories of failures, repeats and other events, shortened to the fewest steps that show a fault. */
async function explored(bench: Bench): Promise<void> {
  const found = await explore(bench);
  const { docket } = bench;
  if (found === undefined) return;
  const told = found.steps.map((step: Step) => step.what).join(", then ");
  docket.judge(FAILED, false, found.exchanges, () => `${told}: ${found.fault}`);
}

const HANGING = "R-ACK-HANGING";

/** A handler that never ends. */
export const hanging: ReceiverCheck = receiverCheck({
  id: "receiver/hanging",
  title:
    "an attempt with a hanging handler is answered before the sender gives up, and not acknowledged",
  requirements: [HANGING],
  slow: true,
  play: async (bench) => {
    const { docket, target } = bench;
    if (target.effects === undefined) return docket.unseen(HANGING, bench.noEffects());
    if (!(await target.effects.hangNext(1)))
      return docket.unseen(
        HANGING,
        'its effects take no PUT {"hangNext": n} that makes handlers hang',
      );
    const event = bench.event();
    const reply = await bench.post(bench.attempt(event), { isOnce: true });
    await target.effects.mend();
    const seen = reply.isAcknowledged ? await bench.effects([event.id]) : undefined;
    if ((seen?.count(event.id) ?? 0) > 0)
      return docket.unseen(HANGING, "the handler did not hang, though it was ordered to");
    docket.judge(
      HANGING,
      reply.status !== undefined && !reply.isAcknowledged,
      [reply],
      () =>
        `expected a refusal within ${target.wire.deadlineMs} ms, got ${reply.said}${reply.isAcknowledged ? ", and its handler has not ended" : ""}`,
    );
    return undefined;
  },
});
