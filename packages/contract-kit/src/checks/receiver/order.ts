import type { ReceiverCheck } from "../../check.ts";
import type { Bench, BenchEvent } from "../../harness/bench.ts";
import type { CatalogueRow } from "../../harness/events.ts";
import { receiverCheck } from "../../harness/play.ts";
import type { Reply } from "../../harness/reply.ts";

const NONE = "R-ORDER-NONE";
const GUARD = "R-ORDER-GUARD";

const HOUR_MS = 3_600_000;

/** Events about one resource, in the order in which they are sent. */
interface Sequence {
  readonly what: string;
  readonly sent: readonly { readonly event: BenchEvent; readonly isLate: boolean }[];
}

/** Several events about one resource: in the order in which they happened, at one time, and backward. */
export const order: ReceiverCheck = receiverCheck({
  id: "receiver/order",
  title: "every event of a resource is handled, except a late one that an order guard skips",
  requirements: [NONE, GUARD],
  isSearch: true,
  play: async (bench) => {
    const { docket } = bench;
    const sequences = sequencesOf(bench);
    const replies = await Promise.all(sequences.map((sequence) => inTurn(bench, sequence)));
    const control = bench.event();
    await bench.post(bench.attempt(control));
    const all = sequences.flatMap(({ sent }) => sent);
    const seen = await bench.effects([
      ...all.filter(({ isLate }) => !isLate).map(({ event }) => event.id),
      control.id,
    ]);
    const has = (event: BenchEvent): boolean => (seen?.count(event.id) ?? 0) > 0;
    // What refuses or skips late events only, of which others run, is an order guard.
    const refusesLate = replies.some((own, at) =>
      own.some(
        (reply, index) => !reply.isAcknowledged && sequences[at]?.sent[index]?.isLate === true,
      ),
    );
    const refusesOthers = replies.some((own, at) =>
      own.some(
        (reply, index) => !reply.isAcknowledged && sequences[at]?.sent[index]?.isLate !== true,
      ),
    );
    const isGuarded =
      (refusesLate && !refusesOthers) ||
      (seen !== undefined && all.some(({ isLate, event }) => isLate && !has(event)));
    const late = isGuarded ? GUARD : NONE;
    sequences.forEach(({ what, sent }, at) =>
      sent.forEach(({ event, isLate }, index) => {
        const reply = replies[at]?.[index];
        if (reply === undefined) return;
        const name = `${what}: ${event.type}, ${index + 1} of ${sent.length} about one resource,`;
        docket.refute(
          isLate ? late : NONE,
          reply.isAcknowledged,
          [reply],
          () => `${name}: expected an acknowledgement, got ${reply.said}`,
        );
        if (seen === undefined || !reply.isAcknowledged) return;
        const count = seen.count(event.id);
        if (isLate) docket.judge(late, count <= 1, [], () => `${name} ran ${count} times`);
        else
          docket.judge(
            NONE,
            count === 1,
            (replies[at] ?? []).slice(0, index + 1),
            () => `${name} was acknowledged, and its handler has run ${count} times`,
          );
      }),
    );
    for (const requirement of [NONE, GUARD])
      docket.unseen(
        requirement,
        seen === undefined
          ? bench.noEffects()
          : requirement === GUARD
            ? "it has no order guard: the older event of a resource ran"
            : "no event of a resource was acknowledged",
      );
  },
});

function sequencesOf(bench: Bench): readonly Sequence[] {
  const { catalogue } = bench.target.profile;
  const now = bench.target.wire.clock.now();
  const groups = Map.groupBy(catalogue, ({ type }) => type.split(".")[0] ?? type);
  const about = (rows: readonly CatalogueRow[], timeOf: (index: number) => number) => {
    const { resource } = bench.event();
    return rows.map((row, index) => bench.event({ row, resource, at: timeOf(index) }));
  };
  return [...groups.values()].flatMap((group): readonly Sequence[] => {
    const forward = group.toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0));
    const [first] = forward;
    const last = forward.at(-1);
    const some = forward[bench.seed % forward.length];
    if (first === undefined || last === undefined || some === undefined) return [];
    const onTime = (events: readonly BenchEvent[]) =>
      events.map((event) => ({ event, isLate: false }));
    const backward = about([last, first], (index) => now - index * HOUR_MS);
    return [
      {
        what: "in order",
        sent: onTime(about(forward, (index) => now - HOUR_MS + index * 1000)),
      },
      // An account is updated and a payment refunded more than once.
      {
        what: "one type twice",
        sent: onTime(about([some, some], (index) => now - 5000 + index * 1000)),
      },
      { what: "at one time", sent: onTime(about([some, some], () => now - 1000)) },
      {
        what: "backward",
        sent: backward.map((event, index) => ({ event, isLate: index > 0 })),
      },
      {
        // An order guard is about one resource: another one's old events all run.
        what: "an hour old",
        sent: onTime([bench.event({ row: some, at: now - 2 * HOUR_MS })]),
      },
    ];
  });
}

async function inTurn(bench: Bench, { sent }: Sequence): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  // oxlint-disable-next-line no-await-in-loop -- one after the other is what is tried
  for (const { event } of sent) replies.push(await bench.post(bench.attempt(event)));
  return replies;
}
