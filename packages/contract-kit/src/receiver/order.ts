import type { ReceiverCheck } from "../check.ts";
import type { Reply } from "../harness/message.ts";
import type { CatalogueRow, TestEvent } from "../harness/provider-events.ts";
import type { Sender } from "../harness/sender.ts";
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
  isSearch: true,
  needsEffects: true,
  run: async (sender) => {
    const { verdicts } = sender;
    const all = (await Promise.all(makeSequences(sender).map((one) => inTurn(sender, one)))).flat();
    const onTime = all.filter(({ isLate }) => !isLate);
    const late = all.filter(({ isLate }) => isLate);
    const seen = await sender.finalEffects(onTime.map(({ event }) => event));
    const isRefused = ({ reply }: { readonly reply: Reply }): boolean => !reply.isAcknowledged;
    // What refuses or skips late events only, of which others run, is an order guard.
    const isGuarded =
      (late.some(isRefused) && !onTime.some(isRefused)) ||
      (seen !== undefined && late.some(({ event }) => seen.count(event) === 0));
    for (const { name, event, isLate, reply, before } of all) {
      const requirement = isLate && isGuarded ? GUARD : NONE;
      if (!reply.isAcknowledged)
        verdicts.fail(requirement, `${name}: expected an acknowledgement, got ${reply.summary}`, [
          reply,
        ]);
      if (seen === undefined || !reply.isAcknowledged) continue;
      const count = seen.count(event);
      if (isLate) verdicts.expect(requirement, count <= 1, () => `${name} ran ${count} times`);
      else
        verdicts.expect(
          NONE,
          count === 1,
          () => {
            return `${name} was acknowledged, and its handler has run ${count} times`;
          },
          [...before, reply],
        );
    }
    const hidden = seen === undefined ? sender.noEffects() : undefined;
    verdicts.notApplicable(NONE, hidden ?? "no event of a resource was acknowledged");
    verdicts.notApplicable(
      GUARD,
      hidden ?? "it has no order guard: the older event of a resource ran",
    );
  },
});

function makeSequences(sender: Sender): readonly Sequence[] {
  const now = sender.now();
  const groups = Map.groupBy(sender.events.rows, ({ type }) => type.split(".")[0] ?? type);
  const about = (rows: readonly CatalogueRow[], timeOf: (index: number) => number) => {
    const { resource } = sender.event();
    return rows.map((row, index) => sender.event({ row, resource, at: timeOf(index) }));
  };
  return [...groups.values()].flatMap((group): readonly Sequence[] => {
    const forward = group.toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0));
    const [first, last] = [forward[0], forward.at(-1)];
    const some = forward[sender.seed % forward.length];
    if (first === undefined || last === undefined || some === undefined) return [];
    return [
      { what: "in order", events: about(forward, (index) => now - HOUR_MS + index * 1000) },
      // An account is updated and a payment refunded more than once.
      { what: "one type twice", events: about([some, some], (index) => now - 5000 + index * 1000) },
      { what: "at one time", events: about([some, some], () => now - 1000) },
      {
        what: "backward",
        events: about([last, first], (index) => now - index * HOUR_MS),
        isBackward: true,
      },
      // An order guard is about one resource: another one's old events all run.
      { what: "an hour old", events: [sender.event({ row: some, at: now - 2 * HOUR_MS })] },
    ];
  });
}

async function inTurn(sender: Sender, { what, events, isBackward = false }: Sequence) {
  const done = [];
  const replies: Reply[] = [];
  for (const [index, event] of events.entries()) {
    const name = `${what}: ${event.type}, ${index + 1} of ${events.length} about one resource`;
    const reply = await sender.post(sender.attempt(event));
    done.push({ name, event, isLate: isBackward && index > 0, before: [...replies], reply });
    replies.push(reply);
  }
  return done;
}
