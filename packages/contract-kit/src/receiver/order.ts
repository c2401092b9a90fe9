import type { ReceiverCheck } from "../check.ts";
import type { Reply } from "../harness/message.ts";
import type { CatalogueRow, TestEvent } from "../harness/provider-events.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import { withMembers } from "../values.ts";
import { words } from "./forged-operation.ts";
import { receiverCheck } from "./receiver-check.ts";

const NONE = "R-ORDER-NONE";
const GUARD = "R-ORDER-GUARD";

const HOUR_MS = 3_600_000;

interface Sequence {
  readonly what: string;
  readonly events: readonly TestEvent[];
  /** True if each event after the first is older than it. */
  readonly isBackward?: boolean;
}

export const order: ReceiverCheck = receiverCheck({
  id: "receiver/order",
  title: "every event of a resource is handled, except a late one that an order guard skips",
  requirements: [NONE, GUARD],
  needs: ["effects"],
  passesByEffects: true,
  run: async (kit) => {
    const { verdicts, expect } = kit;
    const all = (await Promise.all(sequences(kit).map((one) => inTurn(kit, one)))).flat();
    const onTime = all.filter(({ isLate }) => !isLate);
    const late = all.filter(({ isLate }) => isLate);
    const seen = await kit.postLastAndWaitForEffects(onTime.map(({ event }) => event));
    const isRefused = ({ reply }: { readonly reply: Reply }): boolean => !reply.isAcknowledged;
    // A receiver that refuses or skips late events only has an order guard.
    const isGuarded =
      (late.some(isRefused) && !onTime.some(isRefused)) ||
      (seen !== undefined && late.some(({ event }) => seen.count(event) === 0));
    for (const { name, event, isLate, reply, before } of all) {
      const requirement = isLate && isGuarded ? GUARD : NONE;
      const answer = `${name}: expected an acknowledgement, got ${reply.summary}`;
      if (!reply.isAcknowledged) verdicts.fail(requirement, answer, [reply]);
      if (seen === undefined || !reply.isAcknowledged) continue;
      const count = seen.count(event);
      const ran = `${name} was acknowledged, and its handler has run ${count} times`;
      if (isLate) expect(requirement, count <= 1, ran);
      else expect(NONE, count === 1, ran, ...before, reply);
    }
    if (seen === undefined || kit.target.effects?.hasShown !== true) return;
    await expectUnknownHandled(kit);
    verdicts.notApplicable(NONE, "no event of a resource was acknowledged");
    verdicts.notApplicable(GUARD, "it has no order guard: the older event of a resource ran");
  },
});

function sequences(kit: KitSender): readonly Sequence[] {
  const now = kit.now();
  const groups = Map.groupBy(kit.events.rows, ({ type }) => type.split(".")[0] ?? type);
  const about = (rows: readonly CatalogueRow[], timeOf: (index: number) => number) => {
    const { resource } = kit.event();
    return rows.map((row, index) => kit.event({ row, resource, at: timeOf(index) }));
  };
  return [...groups.values()].flatMap((group): readonly Sequence[] => {
    const forward = group.toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0));
    const [first, last] = [forward[0], forward.at(-1)];
    const some = forward[kit.seed % forward.length];
    if (first === undefined || last === undefined || some === undefined) return [];
    return [
      { what: "in order", events: about(forward, (index) => now - HOUR_MS + index * 1000) },
      {
        what: "backward",
        events: about([last, first], (index) => now - index * HOUR_MS),
        isBackward: true,
      },
      // An order guard is about one resource: another one's old events all run.
      { what: "an hour old", events: [kit.event({ row: some, at: now - 2 * HOUR_MS })] },
    ];
  });
}

/** Members by which an event refers to an object of another event. */
const REFERENCES = words("payment_id order_id invoice_id subscription_id payment_intent charge");

/** A refund may arrive before its payment: it may be refused until then, but not acknowledged and skipped. */
async function expectUnknownHandled(kit: KitSender): Promise<void> {
  const { events, signing, verdicts } = kit;
  // The reference interface's events are each about a resource that no earlier one has named.
  if (events.isForm || !signing.covers.body || events.provider.sending !== undefined) return;
  const { resource } = kit.event();
  const members = Object.fromEntries(REFERENCES.map((name) => [name, resource]));
  const body = (text: string): string => withMembers(text, members);
  const sent = await kit.postAll(events.rows.map((row) => kit.attempt({ row, body })));
  const accepted = sent.filter(({ reply }) => reply.isAcknowledged);
  const seen = await kit.postLastAndWaitForEffects(accepted.map(({ event }) => event));
  for (const { event, reply } of accepted) {
    const message = `${event.type} that refers to objects of no earlier event (${REFERENCES.join(", ")}): acknowledged, and its handler has not run. It is lost if it arrives before the event of that object`;
    if (seen?.count(event) === 0) verdicts.warn(NONE, message, [reply]);
  }
}

async function inTurn(kit: KitSender, { what, events, isBackward = false }: Sequence) {
  const done = [];
  const replies: Reply[] = [];
  for (const [index, event] of events.entries()) {
    const name = `${what}: ${event.type}, ${index + 1} of ${events.length} about one resource`;
    const reply = await kit.post(kit.attempt({ event }));
    done.push({ name, event, isLate: isBackward && index > 0, before: [...replies], reply });
    replies.push(reply);
  }
  return done;
}
