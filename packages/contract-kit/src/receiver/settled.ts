import type { ReceiverCheck } from "../check.ts";
import { sleep } from "../harness/clock.ts";
import { NO_EFFECTS } from "../harness/effects.ts";
import type { TestEvent } from "../harness/provider-events.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import { expectAccepted, receiverCheck, WAITS } from "./receiver-check.ts";

const DUPLICATE = "R-ONCE-DUPLICATE";
const UNSIGNED = "R-VERIFY-UNSIGNED";
const FAILED = "R-ACK-FAILED";

/** Milliseconds after the run's first attempt, and its last failed one, before all effects are read again. */
const SETTLED_MS = 5000;

/** Reads all effects again: a handler may run long after its attempt was answered. */
export const settled: ReceiverCheck = receiverCheck({
  id: "receiver/settled",
  title: "seconds later, each handled event has run once, and no refused attempt has run",
  requirements: [DUPLICATE, UNSIGNED, FAILED],
  needs: ["effects"],
  run: async (kit) => {
    const { verdicts, target, expect } = kit;
    const { handled, refused, startedAt = 0, failedAt = startedAt } = target.runState;
    await sleep(kit.clock, Math.max(0, failedAt + SETTLED_MS - kit.clock.elapsed()));
    await unfinished(kit);
    const seen = await kit.postLastAndWaitForEffects();
    verdicts.notApplicable(DUPLICATE, "no event was handled before");
    verdicts.notApplicable(UNSIGNED, "no attempt was refused before");
    if (seen === undefined) return;
    for (const event of handled) {
      const count = seen.count(event);
      const message = `${event.type}: its handler had run once; seconds later it has run ${count} times`;
      expect(DUPLICATE, count === 1, message);
    }
    for (const { what, event } of refused)
      expect(
        UNSIGNED,
        seen.count(event) === 0,
        `${what}: refused, and seconds later a handler has run`,
      );
  },
});

/** Sends again what was in progress long after its sender had hung up: nothing may keep its claim forever. */
async function unfinished(kit: KitSender): Promise<void> {
  const { verdicts, target, expect } = kit;
  const { unfinished: open } = target.runState;
  verdicts.notApplicable(FAILED, "no event was left in progress by a sender that hung up");
  const sendAgain = () =>
    kit.postAll(open.map((one) => ({ ...one, ...kit.attempt({ event: one.event, retries: 2 }) })));
  let sent = await sendAgain();
  // Only a claim that is still kept is worth the wait for its end.
  if (target.slow && sent.some(({ reply }) => reply.isInProgress)) {
    await sleep(kit.clock, MINUTE_MS);
    sent = await sendAgain();
  }
  for (const { event, message, reply } of sent) {
    const seen = await kit.waitForEffects(reply.isAcknowledged ? [event] : []);
    const later = `${message}; later it was answered by ${reply.summary}, and its handler has succeeded ${seen?.count(event) ?? 0} times`;
    if (reply.isInProgress && !target.slow) {
      const unsure = `${later}: it is lost unless a lease ends its claim. Not judged: ${WAITS}`;
      verdicts.warn(FAILED, unsure, [reply]);
    } else if (seen !== undefined)
      expect(FAILED, reply.isAcknowledged && seen.count(event) === 1, later, reply);
  }
}

const RETRIES = "R-ONCE-RETRIES";
const LIST = "R-EFFECTS-LIST";
const AFTER_HANDLER = "R-ACK-AFTER-HANDLER";

/** The oldest events of the run that are sent again at its end. */
const OLDEST = 12;
const MINUTE_MS = 61_000;
/** Attempts that are acknowledged just before a restart. */
const INTERRUPTED = 8;

export const memory: ReceiverCheck = receiverCheck({
  id: "receiver/memory",
  title: "an event is still known after hundreds of others, and after a restart",
  requirements: [RETRIES, LIST, AFTER_HANDLER],
  needs: ["id"],
  passesByEffects: true,
  inapplicable: ({ effects, restart }) =>
    effects === undefined && restart === undefined ? NO_EFFECTS : undefined,
  run: async (kit) => {
    const { verdicts, target } = kit;
    const { handled } = target.runState;
    const { rows } = kit.events;
    const old = handled.slice(0, OLDEST);
    const others = Array.from({ length: 60 }, (_, index) =>
      kit.event({ row: rows[index % rows.length] }),
    );
    await kit.postAll(others.map((event) => kit.attempt({ event })));
    // Some receivers forget after a minute.
    if (target.slow) await sleep(kit.clock, MINUTE_MS);
    const when = `after ${handled.length + others.length} other events`;
    await repeated(kit, old.length > 0 ? old : others.slice(0, OLDEST), when);
    if (target.effects !== undefined) {
      const { unreadable, odd } = target.effects;
      const isRight = unreadable === undefined && odd.length === 0;
      kit.expect(LIST, isRight, unreadable ?? odd.slice(0, 5).join("; "));
    }
    verdicts.notApplicable(AFTER_HANDLER, "only a restart shows it: --restart-command");
    if (target.restart === undefined || verdicts.hasFailed(RETRIES)) return;
    await target.restart();
    await repeated(kit, [...old.slice(0, 4), ...others.slice(-4)], "after a restart");
    await interrupted(kit, old.slice(0, 4));
  },
});

/** A receiver may keep its list of effects in memory: after a restart, only later runs count. */
async function repeated(kit: KitSender, events: readonly TestEvent[], when: string): Promise<void> {
  const { verdicts } = kit;
  const before = await kit.waitForEffects([]);
  const sent = await kit.postAll(events.map((event) => kit.attempt({ event })));
  const seen = await kit.postLastAndWaitForEffects();
  for (const { event, reply } of sent) {
    const expected = `${event.type} ${when}: expected an acknowledgement`;
    if (!reply.isAcknowledged) verdicts.fail(RETRIES, reply.insteadOf(expected), [reply]);
    if (seen === undefined || before === undefined) continue;
    const isStill = seen.count(event) <= before.count(event);
    kit.expect(RETRIES, isStill, `${event.type} ${when}: its handler ran again`, reply);
  }
}

/** Restarts the receiver as soon as it has acknowledged some events: those that had not run must run afterwards. */
async function interrupted(kit: KitSender, known: readonly TestEvent[]): Promise<void> {
  const { verdicts, target } = kit;
  const sent = await kit.postAll(Array.from({ length: INTERRUPTED }, () => kit.attempt()));
  const before = await target.effects?.seen([]);
  await target.restart?.();
  const acknowledged = sent.filter(({ reply }) => reply.isAcknowledged);
  const open = acknowledged.filter(({ event }) => before?.of(event) === undefined);
  const after = await kit.postLastAndWaitForEffects(open.map(({ event }) => event));
  // A list that does not survive a restart shows nothing of what ran before it.
  const isKept = known.some((event) => after?.of(event) !== undefined);
  if (after === undefined || before === undefined || !isKept) {
    verdicts.notApplicable(AFTER_HANDLER, "its list of effects does not survive a restart");
    return;
  }
  for (const { event, reply } of acknowledged) {
    const message = `${event.type}: acknowledged, and lost by a restart right after it`;
    kit.expect(AFTER_HANDLER, after.count(event) > 0, message, reply);
  }
}

const ALIVE = "R-ALIVE";

const CUT_OFF = 40;

export const alive: ReceiverCheck = receiverCheck({
  id: "receiver/alive",
  title: "no attempt of the run has ended the receiver, nor does one that is cut off",
  requirements: [ALIVE],
  isLast: true,
  judgesLoss: true,
  run: async (kit) => {
    const { lost } = kit.target.runState;
    if (lost !== undefined) throw lost.error;
    // A stranger's body as well as a genuine one: reading it fails before any signature is verified.
    for (let count = 0; count < CUT_OFF; count += 1) {
      const { connection } = await kit.beginHalf(count % 2 === 0 ? kit.attempt() : kit.unsigned());
      await connection.ready;
      connection.close();
    }
    const what = "an attempt after attempts that were cut off in their bodies";
    await expectAccepted(kit, ALIVE, [kit.attempt({ what })]);
  },
});
