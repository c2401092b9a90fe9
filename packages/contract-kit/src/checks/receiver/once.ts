import type { ReceiverCheck } from "../../check.ts";
import type { Attempt, AttemptOptions, Bench } from "../../harness/bench.ts";
import type { BenchEvent } from "../../harness/events.ts";
import { NO_FAILURES } from "../../harness/effects.ts";
import { type Genuine, mustTake, receiverCheck } from "../../harness/play.ts";

const DUPLICATE = "R-ONCE-DUPLICATE";
const REUSED = "R-ONCE-REUSED";
const DISTINCT = "R-ONCE-DISTINCT";

/** How a sender repeats an event whose answer it missed; `undefined`: with the same bytes. */
const REPEATS: readonly (readonly [
  what: string,
  again: ((bench: Bench) => AttemptOptions) | undefined,
])[] = [
  ["the same bytes again", undefined],
  ["a second later", (bench) => ({ timestamp: bench.seconds() + 1 })],
  ["a minute earlier", (bench) => ({ timestamp: bench.seconds() - 61 })],
  [
    "four minutes later",
    (bench) => {
      const most = Math.min(240, bench.signing.toleranceSeconds - 30);
      return { timestamp: bench.seconds() + Math.max(0, most) };
    },
  ],
  [
    "with other headers that are not signed",
    () => ({
      headers: [
        ["User-Agent", "cstest/2"],
        ["X-Request-Id", "cstest-other"],
        ["X-Forwarded-For", "203.0.113.9"],
        ["Idempotency-Key", "cstest-other"],
        ["Webhook-Attempt", "2"],
        ["traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
      ],
    }),
  ],
  ["by the other secret", (bench) => ({ secrets: bench.target.secrets.slice(-1) })],
];

/** Repeats of each kind. */
const TURNS = 2;

export const duplicates: ReceiverCheck = receiverCheck({
  id: "receiver/duplicates",
  title: "a handled event is acknowledged without its handler, and no other event is",
  requirements: [DUPLICATE, REUSED, DISTINCT],
  isSearch: true,
  play: async (bench) => {
    const { docket, target } = bench;
    const { catalogue } = target.profile;
    const first = REPEATS.map(([what], index) => {
      const row = catalogue[(bench.seed + index) % catalogue.length];
      return bench.attempt(bench.event({ row }), { what });
    });
    const ids = first.map(({ event }) => event.id);
    await bench.postAll(first);
    // An event in progress may get this answer; it is not a duplicate yet.
    await bench.effects(ids);
    const again = ([, options]: (typeof REPEATS)[number], attempt?: Attempt): readonly Attempt[] =>
      attempt === undefined
        ? []
        : Array.from({ length: TURNS }, () =>
            options === undefined ? attempt : bench.attempt(attempt.event, options(bench)),
          );
    const repeats = await bench.postAll(
      REPEATS.flatMap((repeat, index) => again(repeat, first[index])),
    );
    const seen = await bench.finalEffects(ids);
    if (seen === undefined) docket.unseen(DUPLICATE, bench.noEffects());
    for (const { what, event } of first) {
      const own = repeats.filter((one) => one.event === event).map(({ reply }) => reply);
      const refused = own.find((reply) => !reply.isAcknowledged);
      docket.refute(DUPLICATE, refused === undefined, own.slice(0, 1), () => {
        return `${what}: expected an acknowledgement, got ${refused?.said ?? ""}`;
      });
      const count = seen?.count(event.id);
      if (count === undefined) continue;
      docket.judge(DUPLICATE, count <= 1, own.slice(0, 1), () => {
        return `${what}: its handler has run ${count} times`;
      });
    }
    await reused(bench);
    await mustTake(bench, DISTINCT, lookalikes(bench));
  },
});

async function reused(bench: Bench): Promise<void> {
  const { docket, target } = bench;
  const [first, second = first] = target.profile.catalogue;
  const { id, ...event } = bench.event({ row: first });
  await bench.post(bench.attempt({ id, ...event }));
  const other = bench.event({ id, row: second, resource: `${id}o` });
  const reply = await bench.post(bench.attempt(other));
  const seen = await bench.finalEffects();
  if (seen === undefined) return docket.unseen(REUSED, bench.noEffects());
  const count = seen.count(id);
  docket.judge(REUSED, count === 1, [reply], () => `its handler has run ${count} times`);
}

/** Ids that a store, a cache or a careless comparison takes for one. */
function lookalikes(bench: Bench): readonly Genuine[] {
  const { catalogue, limits } = bench.target.profile;
  const stem = bench.event().id;
  const longest = limits.identifier;
  const long = (end: string): string => `${stem}_`.padEnd(longest - end.length, "a") + end;
  const pairs: readonly (readonly [what: string, one: string, other: string])[] = [
    ["that differ in case", `${stem}_Ab`, `${stem}_aB`],
    ["of which one begins with the other", `${stem}_p`, `${stem}_pp`],
    ["with - and _ in one place", `${stem}_a_b`, `${stem}_a-b`],
    ["of which one ends with _", `${stem}_e`, `${stem}_e_`],
    ["that differ by leading zeros", `${stem}_7`, `${stem}_007`],
    ["that are equal as numbers", `${stem}_1e3`, `${stem}_1000`],
    ["with O and 0", `${stem}_O1`, `${stem}_0l`],
    ...[16, 20, 24, 32, 36, 40, 48, 50, 60, 63]
      .filter((length) => length < longest && length > stem.length + 1)
      .map((length): readonly [string, string, string] => {
        const same = `${stem}_`.padEnd(length, "c");
        return [`that differ after ${length} characters`, `${same}x`, `${same}y`];
      }),
    [`of ${longest} characters that differ in the last`, long("x"), long("y")],
  ];
  const row = catalogue[bench.seed % catalogue.length];
  return pairs.flatMap(([what, one, other]) => [
    bench.attempt(bench.event({ id: one, row }), { what: `the first of two ids ${what}` }),
    bench.attempt(bench.event({ id: other, row }), { what: `the second of two ids ${what}` }),
  ]);
}

const CONCURRENT = "R-ONCE-CONCURRENT";
const IN_PROGRESS = "R-ACK-IN-PROGRESS";

const TOGETHER = 8;
const EVENTS = 3;

export const concurrent: ReceiverCheck = receiverCheck({
  id: "receiver/concurrent",
  title:
    "of identical concurrent attempts one runs the handler, and no other one acknowledges for it",
  requirements: [CONCURRENT, IN_PROGRESS],
  isSearch: true,
  play: async (bench) => {
    const { docket, target } = bench;
    for (const requirement of [CONCURRENT, IN_PROGRESS])
      docket.unseen(requirement, bench.noEffects());
    if (target.effects === undefined) return;
    const { catalogue } = target.profile;
    for (let turn = 0; turn < EVENTS; turn += 1) {
      const row = catalogue[(bench.seed + turn * 5) % catalogue.length];
      await together(bench, bench.event({ row }));
    }
    if (await target.effects.failNext(1)) {
      await whileFailing(bench);
      await target.effects.failNext(0);
    } else docket.unseen(IN_PROGRESS, NO_FAILURES);
  },
});

async function together(bench: Bench, event: BenchEvent): Promise<void> {
  const sent = Array.from({ length: TOGETHER }, () => bench.attempt(event));
  const replies = (await bench.postTogether(sent)).filter((reply) => reply !== undefined);
  const acknowledged = replies.filter((reply) => reply.isAcknowledged);
  // A busy receiver may refuse all of them; then the sender retries.
  if (acknowledged.length === 0) await bench.post(bench.attempt(event));
  const seen = await bench.effects([event.id]);
  if (seen === undefined) return;
  const count = seen.count(event.id);
  bench.docket.judge(CONCURRENT, count === 1, [acknowledged[0] ?? replies[0]], () => {
    return `${replies.length} attempts at once: expected one run, got ${count}; ${acknowledged.length} were acknowledged`;
  });
}

/** The handler fails while others of its event are there: what was acknowledged would be lost. */
async function whileFailing(bench: Bench): Promise<void> {
  const { docket } = bench;
  const event = bench.event();
  docket.subject = IN_PROGRESS;
  const sent = Array.from({ length: TOGETHER }, () =>
    bench.attempt(event, { what: "an attempt whose handler fails" }),
  );
  const replies = (await bench.postTogether(sent)).filter((reply) => reply !== undefined);
  const acknowledged = replies.filter((reply) => reply.isAcknowledged);
  const [shown] = acknowledged;
  if (shown === undefined) return docket.judge(IN_PROGRESS, true, [], () => "");
  const seen = await bench.effects([event.id]);
  if (seen === undefined) return undefined;
  // The one whose handler ran and failed is not in progress elsewhere.
  const isKept = seen.count(event.id) > 0 || acknowledged.length === 1;
  docket.refute(IN_PROGRESS, isKept, [shown], () => {
    return `${acknowledged.length} of ${replies.length} concurrent attempts were acknowledged, and the only run of the handler failed: the event is lost`;
  });
  if (replies.length - acknowledged.length > 1) docket.judge(IN_PROGRESS, true, [], () => "");
  return docket.unseen(IN_PROGRESS, "no attempt met another one of its event in progress");
}

const RETRIES = "R-ONCE-RETRIES";
const LIST = "R-EFFECTS-LIST";

/** The oldest events of the run that are sent again at its end. */
const OLDEST = 12;

export const memory: ReceiverCheck = receiverCheck({
  id: "receiver/memory",
  title: "an event is still known after hundreds of others, and after a restart",
  requirements: [RETRIES, LIST],
  play: async (bench) => {
    const { docket, target } = bench;
    const { handled } = target.notebook;
    const { catalogue } = target.profile;
    const old = handled.slice(0, OLDEST);
    const others = Array.from({ length: 60 * target.effort }, (_, index) =>
      bench.event({ row: catalogue[index % catalogue.length] }),
    );
    await bench.postAll(others.map((event) => bench.attempt(event)));
    const when = `after ${handled.length + others.length} other events`;
    await repeated(bench, old.length > 0 ? old : others.slice(0, OLDEST), when);
    if (target.effects === undefined) docket.unseen(LIST, bench.noEffects());
    else {
      const { unreadable, odd } = target.effects;
      const isRight = unreadable === undefined && odd.length === 0;
      docket.judge(LIST, isRight, [], () => unreadable ?? odd.slice(0, 5).join("; "));
    }
    if (target.restart === undefined || docket.hasFailed(RETRIES)) return;
    await target.restart();
    await repeated(bench, [...old.slice(0, 4), ...others.slice(-4)], "after a restart");
  },
});

/** A receiver may keep its list of effects in memory: after a restart, only later runs count. */
async function repeated(bench: Bench, events: readonly BenchEvent[], when: string): Promise<void> {
  const { docket } = bench;
  const before = await bench.effects([]);
  const sent = await bench.postAll(events.map((event) => bench.attempt(event)));
  const seen = await bench.finalEffects();
  docket.unseen(RETRIES, bench.noEffects());
  for (const { event, reply } of sent) {
    const { id, type } = event;
    docket.refute(RETRIES, reply.isAcknowledged, [reply], () => {
      return `${type} ${when}: expected an acknowledgement, got ${reply.said}`;
    });
    if (seen === undefined || before === undefined) continue;
    const isStill = seen.count(id) <= before.count(id);
    docket.judge(RETRIES, isStill, [reply], () => `${type} ${when}: its handler ran again`);
  }
}
