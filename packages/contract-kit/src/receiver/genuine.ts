import type { ReceiverCheck } from "../check.ts";
import { sleep } from "../harness/clock.ts";
import type { Seen } from "../harness/effects.ts";
import type { KitSender, Sent } from "../harness/kit-sender.ts";
import { withAmounts } from "./money.ts";
import { parseJson, spread } from "../values.ts";
import { expectOneRun, receiverCheck } from "./receiver-check.ts";
import { survey } from "./survey.ts";

const GENUINE = "R-ACK-GENUINE";
const IN_TIME = "R-ACK-IN-TIME";
const ONE = "R-ROUTE-ONE";

export const genuine: ReceiverCheck = receiverCheck({
  id: "receiver/genuine",
  title: "a genuine attempt of every event type is acknowledged in time, and handled once",
  requirements: [GENUINE, IN_TIME, ONE],
  isFirst: true,
  run: async (kit) => {
    const { verdicts, expect } = kit;
    const first = await survey(kit);
    for (const { reply } of first.sent)
      // A closed connection is not an answer, neither in time nor too late.
      if (reply.failure === undefined || reply.failure === "timeout")
        expect(IN_TIME, reply.failure === undefined, reply.summary, reply);
    if (first.cause !== undefined)
      return verdicts.fail(GENUINE, first.cause, [first.sent[0]?.reply]);
    const others = await sendOtherTypes(kit, first.sent);
    const seen = others.length === 0 ? first.seen : await kit.postLastAndWaitForEffects();
    kit.target.runState.stopped = await stoppedAfter(kit, { survey: first.sent, others, seen });
    const { stopped } = kit.target.runState;
    if (stopped !== undefined) return verdicts.fail(ONE, stopped, [others.at(-1)?.reply]);
    judge(kit, [...first.sent, ...others], seen);
    return undefined;
  },
});

const AT_ONCE = 8;
/** Types of a target whose rate is limited. */
const FEW = 100;
/** Every other type of a long catalogue, once, with amounts: a mistake in one handler shows with its own type only. */
function sendOtherTypes(kit: KitSender, sent: readonly Sent[]): Promise<readonly Sent[]> {
  const { handlesAll, sockets, events, signing } = kit.target;
  const others = events.allRows.filter(
    ({ type }) => !handlesAll && sent.every(({ what }) => what !== type),
  );
  const some = spread(others, sockets.perSecond === undefined ? Infinity : FEW);
  const hasAmounts = !events.isForm && signing.covers.body;
  const attempts = some.map((row) => {
    const body = (text: string) => (hasAmounts ? withAmounts(text, 1200, "whole") : text);
    return kit.attempt({ row, what: row.type, body });
  });
  return kit.postAll(attempts, { atOnce: AT_ONCE });
}

/** Types in a row without an effect, after which it is asked whether any handler still runs. */
const SILENT = 8;
/** Clocks of seconds have moved on then. */
const LATER_MS = 1100;

/** A sentence if types whose handlers have run show no effect any more. */
async function stoppedAfter(
  kit: KitSender,
  given: {
    readonly survey: readonly Sent[];
    readonly others: readonly Sent[];
    readonly seen: Seen | undefined;
  },
): Promise<string | undefined> {
  const { survey: first, others, seen } = given;
  const hasRun = ({ event }: Sent): boolean => seen?.of(event) !== undefined;
  const tail = others.slice(others.findLastIndex(hasRun) + 1);
  const rows = kit.events.rows.filter(({ type }) =>
    first.some((one) => one.what === type && hasRun(one)),
  );
  if (tail.length < SILENT || rows.length === 0) return undefined;
  for (const _ of rows.slice(0, 2)) {
    const again = await kit.postAll(rows.map((row) => kit.attempt({ row })));
    const accepted = again.filter(({ reply }) => reply.isAcknowledged);
    const now = await kit.waitForEffects(accepted.map(({ event }) => event));
    const isSilent = accepted.every(({ event }) => now?.of(event) === undefined);
    if (accepted.length === 0 || !isSilent) return undefined;
    await sleep(kit.target.sockets.clock, LATER_MS);
  }
  const ran = [...first, ...others].filter(hasRun);
  const last = ran.slice(-SILENT).map(({ what }) => what);
  const known = rows.map(({ type }) => type);
  return `handlers ran until attempt ${ran.length} or so of the catalogue, and for none of the ${tail.length} after it, nor again for ${known.join(", ")}, all acknowledged: one of the last events that were handled has switched them off (${last.join(", ")})`;
}

function judge(kit: KitSender, sent: readonly Sent[], seen: Seen | undefined): void {
  const { target } = kit;
  const handled = sent.filter(({ event }) => seen?.of(event) !== undefined);
  // A vendor's receiver may show what some handlers do, and nothing of other types.
  const isPartial = !target.handlesAll && handled.length > 0;
  if (isPartial) chooseTypes(kit, handled, seen);
  if (isPartial) target.runState.silent = sent.filter((one) => !handled.includes(one));
  for (const one of sent) {
    const { what, event, reply } = one;
    const answer = reply.insteadOf(`${what}: expected a status of 2xx`);
    kit.expect(GENUINE, reply.isAcknowledged, answer, reply);
    if (seen === undefined || !reply.isAcknowledged) continue;
    if (!isPartial || seen.of(event) !== undefined) expectOneRun(kit, ONE, one, seen);
  }
}

const CHOSEN = 4;

/** Later checks send types whose handlers show what they do, those with amounts first. */
function chooseTypes(
  { events }: KitSender,
  handled: readonly Sent[],
  seen: Seen | undefined,
): void {
  const hasAmount = ({ event }: Sent): boolean =>
    ![undefined, "0"].includes(seen?.of(event)?.amountCents);
  const chosen = [...handled.filter(hasAmount).slice(0, CHOSEN / 2), ...handled];
  const known = [...events.rows, ...(events.provider.catalogue ?? [])];
  const rows = new Map(
    chosen.map((one) => {
      const row = known.find(({ type }) => type === one.what) ?? { type: one.what };
      // A handler that has read an amount may miss it in an event without one.
      if (hasAmount(one)) events.resemble(row, parseJson(one.body));
      return [one.what, row];
    }),
  );
  events.rows = [...rows.values()].slice(0, Math.max(CHOSEN, events.rows.length));
}
