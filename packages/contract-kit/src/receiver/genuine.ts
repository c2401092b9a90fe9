import type { ProviderDocument } from "@countersign/schemas/providers";
import type { ReceiverCheck } from "../check.ts";
import type { Seen } from "../harness/effects.ts";
import type { KitSender, Sent } from "../harness/kit-sender.ts";
import type { Reply } from "../harness/message.ts";
import { findLoss } from "./losses.ts";
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
    const { firstMs = 0, deadlineMs } = kit.target.sockets;
    const late = `the run's first request was answered after ${firstMs} ms, and its sender waits ${deadlineMs} ms: an event that starts the receiver is sent again`;
    if (firstMs > deadlineMs) verdicts.warn(IN_TIME, late);
    for (const { reply } of first.sent)
      // A closed connection is not an answer, neither in time nor too late.
      if (reply.failure === undefined || reply.failure === "timeout")
        expect(IN_TIME, reply.failure === undefined, reply.summary, reply);
    if (first.cause !== undefined)
      return verdicts.fail(GENUINE, first.cause, [first.sent[0]?.reply]);
    const others = await sendOtherTypes(kit, first.sent);
    const seen = others.length === 0 ? first.seen : await kit.postLastAndWaitForEffects();
    const sent = [...first.sent, ...others];
    const hasRun = ({ event }: Sent): boolean => seen?.of(event) !== undefined;
    const isLossy =
      sent.some(hasRun) && sent.some((one) => one.reply.isAcknowledged && !hasRun(one));
    const loss = isLossy
      ? await findLoss(
          kit,
          sent.filter(hasRun).map(({ what }) => what),
        )
      : undefined;
    const { runState } = kit.target;
    runState.stopped = loss?.all === true ? switchedOff(sent, seen) : undefined;
    if (runState.stopped !== undefined)
      return verdicts.fail(ONE, runState.stopped, [others.at(-1)?.reply]);
    runState.loss = loss;
    judge(kit, sent, loss === undefined ? seen : undefined);
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
  const attempts = some.map((row) => {
    const hasAmounts = !events.formOf(row.type).isForm && signing.covers.body;
    const body = (text: string) => (hasAmounts ? withAmounts(text, 1200, "whole") : text);
    return kit.attempt({ row, what: row.type, body });
  });
  return kit.postAll(attempts, { atOnce: AT_ONCE });
}

/** Types in a row without an effect, after which handlers may no longer run. */
const SILENT = 8;

/** A sentence if one of the events that were handled last has switched all handlers off. */
function switchedOff(sent: readonly Sent[], seen: Seen | undefined): string | undefined {
  const hasRun = ({ event }: Sent): boolean => seen?.of(event) !== undefined;
  const last = sent.findLastIndex(hasRun);
  const tail = sent.length - last - 1;
  if (tail < SILENT) return undefined;
  const names = sent
    .slice(0, last + 1)
    .filter(hasRun)
    .map(({ what }) => what);
  return `handlers ran until attempt ${names.length} or so of the catalogue, and for none of the ${tail} after it, nor again for plain events, all acknowledged: one of the last events that were handled has switched them off (${names.slice(-SILENT).join(", ")})`;
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
    const misread = misreadBody(reply, target.provider);
    if (misread !== undefined) kit.verdicts.warn(GENUINE, `${what}: ${misread}`, [reply]);
    if (seen === undefined || !reply.isAcknowledged) continue;
    if (!isPartial || seen.of(event) !== undefined) expectOneRun(kit, ONE, one, seen);
  }
}

/** A sentence about a body that the sender reads, and that has another type than it documents. */
function misreadBody(reply: Reply, { answer, title }: ProviderDocument): string | undefined {
  // Plain text is harmless, unless the documented acknowledgement has another type: Twilio sends text to the customer.
  const { reply: documented, mediaType = "text/plain" } = answer ?? {};
  const [sent = ""] = (reply.header("content-type") ?? "").split(";");
  const isRead = documented !== undefined && reply.isAcknowledged && reply.text !== "";
  if (!isRead || [documented, mediaType].includes(sent.trim().toLowerCase())) return undefined;
  return `answered with a body of ${sent || "no type"}, where ${title} reads ${documented}`;
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
  const usual = [...rows.values()].filter((row) => events.isUsual(row));
  if (usual.length > 0) events.rows = usual.slice(0, Math.max(CHOSEN, events.rows.length));
}
