import type { ReceiverCheck } from "../check.ts";
import { sleep } from "../harness/clock.ts";
import { NO_FAILURES } from "../harness/effects.ts";
import type { Reply } from "../harness/message.ts";
import type { CatalogueRow, TestEvent } from "../harness/provider-events.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import { explore, paceOf, rememberFailed, runHistory } from "./histories.ts";
import { receiverCheck, WAITS } from "./receiver-check.ts";

const AFTER_HANDLER = "R-ACK-AFTER-HANDLER";
const FAILED = "R-ACK-FAILED";
const RETRY_AFTER = "R-ACK-RETRY-AFTER";
const IN_TIME = "R-ACK-IN-TIME";
const EXPLORED = ["R-ONCE-DUPLICATE", "R-ONCE-CONCURRENT", "R-ACK-IN-PROGRESS"] as const;
const requirements = [AFTER_HANDLER, FAILED, RETRY_AFTER, IN_TIME, ...EXPLORED] as const;

const MAX_ATTEMPTS = 4;
const MAX_WAIT_MS = 2000;
/** Reads of the effects before an event counts as lost. */
const LATE_READS = 3;
/** Seconds above which Retry-After was probably meant in milliseconds. */
const LONG_SECONDS = 3600;
/** Failures in a row of a receiver that retries by itself, and the longest first retry for which they are followed. */
const FAILURES = 4;
const QUICK_RETRY_MS = 700;
/** Errors that careless receivers take for an event that was handled before, or that never will be. */
const REASONS = [
  'duplicate key value violates unique constraint "cstest_key"',
  "UNIQUE constraint failed: cstest.id",
  "cstest already exists",
  "cstest not found",
  "invalid cstest",
  "connect ECONNREFUSED",
];

export const failing: ReceiverCheck = receiverCheck({
  id: "receiver/failing",
  title: "an attempt whose handler fails is not acknowledged, and the next one runs it again",
  requirements,
  needs: ["effects"],
  run: async (kit) => {
    await failures(kit);
    if (kit.events.hasId) await hangUps(kit);
  },
});

/** When a sender hangs up that has sent a whole attempt, as a share of the time that the receiver takes for one. */
const PATIENCE = [0, 0.1, 0.3, 0.5, 0.7, 0.9];

/** The sender stops waiting for the answer, as each sender's timeout does, and repeats the event. */
async function hangUps(kit: KitSender): Promise<void> {
  const pace = await paceOf(kit);
  if (!pace.isShown) return;
  const hangUp = (share: number) => runHistory(kit, [{ kind: "hang-up", event: 0, share }], pace);
  for (const fault of await Promise.all(PATIENCE.map(hangUp)))
    if (fault) kit.verdicts.fail(fault.requirement, fault.message, fault.replies);
}

async function failures(kit: KitSender): Promise<void> {
  const { verdicts, target, seed, events } = kit;
  const takesFailOrders = (await target.effects?.failNext(0)) === true;
  const reason = takesFailOrders
    ? "every handler succeeded, though it was ordered to fail"
    : NO_FAILURES;
  for (const requirement of requirements) verdicts.notApplicable(requirement, reason);
  if (!takesFailOrders) return;
  const categories = [...Map.groupBy(events.rows, ({ category }) => category).values()];
  for (const [index, rows] of [events.rows, ...categories].entries()) {
    const times = index === 0 ? 3 : 1 + (index % 2);
    await failsAtFirst(kit, rows[seed % rows.length], REASONS.slice(index % 4).slice(0, times));
    // Each further one would take as long.
    if (verdicts.hasFailed(FAILED)) return;
  }
  for (const count of [1, 3]) {
    await failsAmongOthers(kit, count);
    if (verdicts.hasFailed(FAILED)) return;
  }
  if (!events.hasId) return;
  const found = await explore(kit);
  if (found) verdicts.fail(found.requirement, found.message, found.replies);
  else for (const one of EXPLORED) verdicts.pass(one);
}

/** The handler fails for each of the reasons, and the sender repeats the event until it is acknowledged. */
async function failsAtFirst(
  kit: KitSender,
  row: CatalogueRow | undefined,
  reasons: readonly string[],
): Promise<void> {
  const { verdicts, target, expect } = kit;
  const event = kit.event({ row });
  kit.blamedIfLost = FAILED;
  const what = `${event.type}, whose handler fails`;
  const replies: Reply[] = [];
  let last: Reply;
  let isLate: boolean;
  let reason: string | undefined;
  do {
    const { length: retries } = replies;
    reason = reasons[retries];
    await target.effects?.failNext(1, reason);
    const attempt = kit.attempt({ event, what, ...(retries > 0 && { retries }) });
    last = await kit.post(attempt, { retriesOnly429: true });
    replies.push(last);
    isLate = last.failure === "timeout";
    expect(IN_TIME, !isLate, last.insteadOf(`${event.type}: the handler failed`), last);
  } while (replies.length < reasons.length && !last.isAcknowledged && !isLate);
  const nth = replies.length === 1 ? "" : `, ${replies.length} times in a row`;
  const failed = `${event.type}: the handler was ordered to fail with ${JSON.stringify(reason)}${nth}`;
  if (last.isAcknowledged) return expectRunsByItself(kit, event, { failed, replies });
  await target.effects?.failNext(0);
  verdicts.pass(AFTER_HANDLER);
  for (const reply of replies) checkRetryAfter(kit, reply);
  const other = await kit.post(kit.attempt({ row }));
  const blocked = `${failed}; while it waits for its next attempt, another event of its type is answered by ${other.summary}`;
  expect(FAILED, other.isAcknowledged, blocked, last, other);
  const next = await untilTaken(kit, event, last);
  const seen = await kit.waitForEffects(next.isAcknowledged ? [event] : []);
  const count = seen?.count(event) ?? 1;
  if (count === 1) rememberFailed(kit, event);
  const message = `${failed}, the next attempt was answered by ${next.summary}, and the handler has succeeded ${count} times: once expected`;
  expect(FAILED, next.isAcknowledged && count === 1, message, ...replies, next);
  return undefined;
}

/** Events in progress at once, of which some fail. */
const IN_PROGRESS_AT_ONCE = 8;

/** Some of several events in progress at once fail: each of the others, if acknowledged, must keep its effect. */
async function failsAmongOthers(kit: KitSender, count: number): Promise<void> {
  const { target, expect } = kit;
  const attempts = Array.from({ length: IN_PROGRESS_AT_ONCE }, (_, row) =>
    kit.attempt({ row: kit.row(row) }),
  );
  await target.effects?.failNext(count);
  const replies = await kit.postTogether(attempts);
  const sent = attempts.flatMap((one, at) => ({ ...one, reply: replies[at] }));
  const acknowledged = sent.filter(({ reply }) => reply?.isAcknowledged === true);
  const events = acknowledged.map(({ event }) => event);
  // One that acknowledges before its handler runs may retry by itself.
  await untilShown(kit, events, LATE_READS * target.effectsWaitMs);
  await target.effects?.failNext(0);
  const seen = await kit.waitForEffects(events);
  for (const { event, reply } of acknowledged) {
    const lost = `${event.type}: acknowledged while ${count} of ${sent.length} events in progress at once failed, and no effect of it has shown since: the event is lost`;
    if (seen !== undefined) expect(FAILED, seen.count(event) > 0, lost, reply);
  }
}

/** An event that was acknowledged although its handler failed must run again by itself. */
async function expectRunsByItself(
  kit: KitSender,
  event: TestEvent,
  { failed, replies }: { readonly failed: string; readonly replies: readonly Reply[] },
): Promise<void> {
  const { verdicts, target, expect } = kit;
  const lateMs = await untilShown(kit, [event], LATE_READS * target.effectsWaitMs);
  // Not earlier: a handler that runs after the answer would find nothing that makes it fail.
  await target.effects?.failNext(0);
  if (lateMs === undefined) {
    // Nobody can see if the handler failed or did not run.
    const lost = `${failed}, got ${replies.at(-1)?.summary}, and no effect has shown since: the event is lost`;
    for (const requirement of [AFTER_HANDLER, FAILED]) verdicts.fail(requirement, lost, replies);
    return;
  }
  const itself = "it acknowledges what it has stored, and ran the handler again by itself";
  verdicts.notApplicable(AFTER_HANDLER, itself);
  if (lateMs >= QUICK_RETRY_MS) return;
  // It must not drop an event after a few failures in a row.
  await target.effects?.failNext(FAILURES);
  const attempt = kit.attempt({ what: `an attempt whose handler fails ${FAILURES} times` });
  const reply = await kit.post(attempt, { retriesOnly429: true });
  if (reply.isAcknowledged) {
    // Each wait may be twice as long as the one before.
    const limitMs = lateMs * 2 ** (FAILURES + 1) + target.effectsWaitMs;
    const shownMs = await untilShown(kit, [attempt.event], limitMs);
    const lost = `${attempt.what} was acknowledged, and has not run within ${limitMs} ms: the event is lost`;
    expect(FAILED, shownMs !== undefined, lost, reply);
  }
  await target.effects?.failNext(0);
}

/** Milliseconds until the effects of all events show; `undefined` if they do not in time. */
async function untilShown(
  kit: KitSender,
  events: readonly TestEvent[],
  limitMs: number,
): Promise<number | undefined> {
  const began = kit.clock.elapsed();
  do {
    const seen = await kit.waitForEffects(events);
    if (events.every((event) => seen?.count(event) !== 0)) return kit.clock.elapsed() - began;
    await sleep(kit.clock, 50);
  } while (kit.clock.elapsed() - began < limitMs);
  return undefined;
}

/** A failure must not blame the sender, nor name a wait that senders misread. */
function checkRetryAfter({ expect, now }: KitSender, reply: Reply): void {
  const value = reply.header("retry-after");
  const { status = 0 } = reply;
  const isTemporary = status >= 500 || status === 409 || status === 429;
  expect(RETRY_AFTER, isTemporary, reply.insteadOf("expected 503 with Retry-After"), reply);
  if (value === undefined) return;
  const ms = reply.retryAfterMs(now());
  const isWhole = ms !== undefined && (/^\d+$/.test(value) || Number.isNaN(Number(value)));
  const misread = isWhole
    ? `Retry-After: ${value} is more than an hour: its unit is seconds`
    : `Retry-After: ${value} is neither whole seconds nor a date`;
  expect(RETRY_AFTER, isWhole && ms <= LONG_SECONDS * 1000, misread, reply);
}

/** The sender's next attempts, for a few seconds, no sooner than the receiver asked. */
async function untilTaken(kit: KitSender, event: TestEvent, first: Reply): Promise<Reply> {
  let last = first;
  for (let retries = 1; retries <= MAX_ATTEMPTS; retries += 1) {
    // The first retry is sent at once: a failure must not block it.
    if (retries > 1)
      await sleep(kit.clock, Math.min(last.retryAfterMs(kit.now()) ?? 0, MAX_WAIT_MS));
    last = await kit.post(kit.attempt({ event, retries }), { retriesOnly429: true });
    if (last.isAcknowledged) break;
  }
  return last;
}

const HANGING = "R-ACK-HANGING";

/** Milliseconds in which a handler begins. */
const BEGUN_MS = 300;

export const hanging: ReceiverCheck = receiverCheck({
  id: "receiver/hanging",
  title: "a hanging handler delays no other event, and its attempt is refused in time",
  requirements: [HANGING, IN_TIME],
  needs: ["effects"],
  run: async (kit) => {
    const { verdicts, target, expect } = kit;
    const { sockets } = target;
    const none = 'its effects take no PUT {"hangNext": n} that makes handlers hang';
    for (const one of [HANGING, IN_TIME]) verdicts.notApplicable(one, none);
    if ((await target.effects?.hangNext(1)) !== true) return;
    const began = kit.clock.elapsed();
    const attempt = kit.attempt();
    const { connection, end } = await kit.begin(attempt);
    connection.write(attempt.body);
    await sleep(kit.clock, BEGUN_MS);
    // Only the first event's handler must hang, also if it has not begun yet.
    await target.effects?.hangNext(0);
    kit.blamedIfLost = IN_TIME;
    const what = "an event while another one's handler hangs";
    const other = await kit.post(kit.attempt({ what }), { retriesOnly429: true });
    const expected = other.insteadOf(`${what}: expected an acknowledgement`);
    expect(IN_TIME, other.isAcknowledged, expected, other);
    if (!target.slow) {
      connection.close();
      verdicts.notApplicable(HANGING, WAITS);
      return;
    }
    const reply = await end(
      attempt.body,
      Math.max(1, sockets.deadlineMs - (kit.clock.elapsed() - began)),
    );
    const seen = reply.isAcknowledged ? await kit.waitForEffects([attempt.event]) : undefined;
    if ((seen?.count(attempt.event) ?? 0) > 0)
      return verdicts.notApplicable(HANGING, "the handler did not hang, though it was ordered to");
    const isRefused = reply.status !== undefined && !reply.isAcknowledged;
    const more = reply.isAcknowledged ? ", and its handler has not ended" : "";
    const message = `expected a refusal within ${sockets.deadlineMs} ms, got ${reply.summary}${more}`;
    expect(HANGING, isRefused, message, reply);
    return;
  },
});
