import type { ReceiverCheck } from "../../check.ts";
import type { Bench } from "../../harness/bench.ts";
import type { BenchEvent, CatalogueRow } from "../../harness/events.ts";
import { receiverCheck } from "../../harness/play.ts";
import type { Reply } from "../../harness/message.ts";

const NONE = "R-ORDER-NONE";
const GUARD = "R-ORDER-GUARD";

const HOUR_MS = 3_600_000;

interface Sequence {
  readonly what: string;
  readonly events: readonly BenchEvent[];
  /** True if each event after the first is older than it. */
  readonly isBackward?: boolean;
}

export const order: ReceiverCheck = receiverCheck({
  id: "receiver/order",
  title: "every event of a resource is handled, except a late one that an order guard skips",
  requirements: [NONE, GUARD],
  isSearch: true,
  play: async (bench) => {
    const { docket } = bench;
    const all = (await Promise.all(sequencesOf(bench).map((one) => inTurn(bench, one)))).flat();
    const onTime = all.filter(({ isLate }) => !isLate);
    const late = all.filter(({ isLate }) => isLate);
    const seen = await bench.finalEffects(onTime.map(({ event }) => event.id));
    const isRefused = ({ reply }: { readonly reply: Reply }): boolean => !reply.isAcknowledged;
    // What refuses or skips late events only, of which others run, is an order guard.
    const isGuarded =
      (late.some(isRefused) && !onTime.some(isRefused)) ||
      (seen !== undefined && late.some(({ event }) => seen.count(event.id) === 0));
    for (const { name, event, isLate, reply, before } of all) {
      const requirement = isLate && isGuarded ? GUARD : NONE;
      docket.refute(requirement, reply.isAcknowledged, [reply], () => {
        return `${name}: expected an acknowledgement, got ${reply.said}`;
      });
      if (seen === undefined || !reply.isAcknowledged) continue;
      const count = seen.count(event.id);
      if (isLate) docket.judge(requirement, count <= 1, [], () => `${name} ran ${count} times`);
      else
        docket.judge(NONE, count === 1, [...before, reply], () => {
          return `${name} was acknowledged, and its handler has run ${count} times`;
        });
    }
    const hidden = seen === undefined ? bench.noEffects() : undefined;
    docket.unseen(NONE, hidden ?? "no event of a resource was acknowledged");
    docket.unseen(GUARD, hidden ?? "it has no order guard: the older event of a resource ran");
  },
});

function sequencesOf(bench: Bench): readonly Sequence[] {
  const now = bench.target.wire.clock.now();
  const groups = Map.groupBy(
    bench.target.profile.catalogue,
    ({ type }) => type.split(".")[0] ?? type,
  );
  const about = (rows: readonly CatalogueRow[], timeOf: (index: number) => number) => {
    const { resource } = bench.event();
    return rows.map((row, index) => bench.event({ row, resource, at: timeOf(index) }));
  };
  return [...groups.values()].flatMap((group): readonly Sequence[] => {
    const forward = group.toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0));
    const [first, last] = [forward[0], forward.at(-1)];
    const some = forward[bench.seed % forward.length];
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
      { what: "an hour old", events: [bench.event({ row: some, at: now - 2 * HOUR_MS })] },
    ];
  });
}

async function inTurn(bench: Bench, { what, events, isBackward = false }: Sequence) {
  const done = [];
  const replies: Reply[] = [];
  for (const [index, event] of events.entries()) {
    const name = `${what}: ${event.type}, ${index + 1} of ${events.length} about one resource`;
    const reply = await bench.post(bench.attempt(event));
    done.push({ name, event, isLate: isBackward && index > 0, before: [...replies], reply });
    replies.push(reply);
  }
  return done;
}
