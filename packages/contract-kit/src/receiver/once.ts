import type { ReceiverCheck } from "../check.ts";
import type { Attempt, AttemptOptions, Sender } from "../harness/attempt-sender.ts";
import type { TestEvent } from "../harness/events.ts";
import { NO_FAILURES } from "../harness/effects.ts";
import { type Genuine, expectAccepted, receiverCheck } from "./receiver-check.ts";

const DUPLICATE = "R-ONCE-DUPLICATE";
const REUSED = "R-ONCE-REUSED";
const DISTINCT = "R-ONCE-DISTINCT";

/** How a sender repeats an event whose answer it missed; `undefined`: with the same bytes. */
const REPEATS: readonly (readonly [
  what: string,
  again: ((sender: Sender) => AttemptOptions) | undefined,
])[] = [
  ["the same bytes again", undefined],
  ["a second later", (sender) => ({ timestamp: sender.seconds() + 1 })],
  ["a minute earlier", (sender) => ({ timestamp: sender.seconds() - 61 })],
  [
    "four minutes later",
    (sender) => {
      const most = Math.min(240, sender.signing.toleranceSeconds - 30);
      return { timestamp: sender.seconds() + Math.max(0, most) };
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
  ["by the other secret", (sender) => ({ secrets: sender.target.secrets.slice(-1) })],
];

/** Repeats of each kind. */
const TURNS = 2;

export const duplicates: ReceiverCheck = receiverCheck({
  id: "receiver/duplicates",
  title: "a handled event is acknowledged without its handler, and no other event is",
  requirements: [DUPLICATE, REUSED, DISTINCT],
  isSearch: true,
  run: async (sender) => {
    const { verdicts, target } = sender;
    const { catalogue } = target.profile;
    const first = REPEATS.map(([what], index) => {
      const row = catalogue[(sender.seed + index) % catalogue.length];
      return sender.attempt(sender.event({ row }), { what });
    });
    const ids = first.map(({ event }) => event.id);
    await sender.postAll(first);
    // An event in progress may get this answer; it is not a duplicate yet.
    await sender.effects(ids);
    const again = ([, options]: (typeof REPEATS)[number], attempt?: Attempt): readonly Attempt[] =>
      attempt === undefined
        ? []
        : Array.from({ length: TURNS }, () =>
            options === undefined ? attempt : sender.attempt(attempt.event, options(sender)),
          );
    const repeats = await sender.postAll(
      REPEATS.flatMap((repeat, index) => again(repeat, first[index])),
    );
    const seen = await sender.finalEffects(ids);
    if (seen === undefined) verdicts.notApplicable(DUPLICATE, sender.noEffects());
    for (const { what, event } of first) {
      const own = repeats.filter((one) => one.event === event).map(({ reply }) => reply);
      const refused = own.find((reply) => !reply.isAcknowledged);
      if (refused !== undefined)
        verdicts.fail(
          DUPLICATE,
          `${what}: expected an acknowledgement, got ${refused?.summary ?? ""}`,
          own.slice(0, 1),
        );
      const count = seen?.count(event.id);
      if (count === undefined) continue;
      verdicts.expect(
        DUPLICATE,
        count <= 1,
        () => {
          return `${what}: its handler has run ${count} times`;
        },
        own.slice(0, 1),
      );
    }
    await reused(sender);
    await expectAccepted(sender, DISTINCT, lookalikes(sender));
  },
});

async function reused(sender: Sender): Promise<void> {
  const { verdicts, target } = sender;
  const [first, second = first] = target.profile.catalogue;
  const { id, ...event } = sender.event({ row: first });
  await sender.post(sender.attempt({ id, ...event }));
  const other = sender.event({ id, row: second, resource: `${id}o` });
  const reply = await sender.post(sender.attempt(other));
  const seen = await sender.finalEffects();
  if (seen === undefined) return verdicts.notApplicable(REUSED, sender.noEffects());
  const count = seen.count(id);
  verdicts.expect(REUSED, count === 1, () => `its handler has run ${count} times`, [reply]);
}

/** Ids that a store, a cache or a careless comparison takes for one. */
function lookalikes(sender: Sender): readonly Genuine[] {
  const { catalogue, limits } = sender.target.profile;
  const stem = sender.event().id;
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
  const row = catalogue[sender.seed % catalogue.length];
  return pairs.flatMap(([what, one, other]) => [
    sender.attempt(sender.event({ id: one, row }), { what: `the first of two ids ${what}` }),
    sender.attempt(sender.event({ id: other, row }), { what: `the second of two ids ${what}` }),
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
  run: async (sender) => {
    const { verdicts, target } = sender;
    for (const requirement of [CONCURRENT, IN_PROGRESS])
      verdicts.notApplicable(requirement, sender.noEffects());
    if (target.effects === undefined) return;
    const { catalogue } = target.profile;
    for (let turn = 0; turn < EVENTS; turn += 1) {
      const row = catalogue[(sender.seed + turn * 5) % catalogue.length];
      await together(sender, sender.event({ row }));
    }
    if (await target.effects.failNext(1)) {
      await whileFailing(sender);
      await target.effects.failNext(0);
    } else verdicts.notApplicable(IN_PROGRESS, NO_FAILURES);
  },
});

async function together(sender: Sender, event: TestEvent): Promise<void> {
  const sent = Array.from({ length: TOGETHER }, () => sender.attempt(event));
  const replies = (await sender.postTogether(sent)).filter((reply) => reply !== undefined);
  const acknowledged = replies.filter((reply) => reply.isAcknowledged);
  // A busy receiver may refuse all of them; then the sender retries.
  if (acknowledged.length === 0) await sender.post(sender.attempt(event));
  const seen = await sender.effects([event.id]);
  if (seen === undefined) return;
  const count = seen.count(event.id);
  sender.verdicts.expect(
    CONCURRENT,
    count === 1,
    () => {
      return `${replies.length} attempts at once: expected one run, got ${count}; ${acknowledged.length} were acknowledged`;
    },
    [acknowledged[0] ?? replies[0]],
  );
}

/** The handler fails while others of its event are there: what was acknowledged would be lost. */
async function whileFailing(sender: Sender): Promise<void> {
  const { verdicts } = sender;
  const event = sender.event();
  sender.requirement = IN_PROGRESS;
  const sent = Array.from({ length: TOGETHER }, () =>
    sender.attempt(event, { what: "an attempt whose handler fails" }),
  );
  const replies = (await sender.postTogether(sent)).filter((reply) => reply !== undefined);
  const acknowledged = replies.filter((reply) => reply.isAcknowledged);
  const [shown] = acknowledged;
  if (shown === undefined) return verdicts.pass(IN_PROGRESS);
  const seen = await sender.effects([event.id]);
  if (seen === undefined) return undefined;
  // The one whose handler ran and failed is not in progress elsewhere.
  const isKept = seen.count(event.id) > 0 || acknowledged.length === 1;
  if (!isKept)
    verdicts.fail(
      IN_PROGRESS,
      `${acknowledged.length} of ${replies.length} concurrent attempts were acknowledged, and the only run of the handler failed: the event is lost`,
      [shown],
    );
  if (replies.length - acknowledged.length > 1) verdicts.pass(IN_PROGRESS);
  return verdicts.notApplicable(IN_PROGRESS, "no attempt met another one of its event in progress");
}

const RETRIES = "R-ONCE-RETRIES";
const LIST = "R-EFFECTS-LIST";

/** The oldest events of the run that are sent again at its end. */
const OLDEST = 12;

export const memory: ReceiverCheck = receiverCheck({
  id: "receiver/memory",
  title: "an event is still known after hundreds of others, and after a restart",
  requirements: [RETRIES, LIST],
  run: async (sender) => {
    const { verdicts, target } = sender;
    const { handled } = target.runState;
    const { catalogue } = target.profile;
    const old = handled.slice(0, OLDEST);
    const others = Array.from({ length: 60 * target.effort }, (_, index) =>
      sender.event({ row: catalogue[index % catalogue.length] }),
    );
    await sender.postAll(others.map((event) => sender.attempt(event)));
    const when = `after ${handled.length + others.length} other events`;
    await repeated(sender, old.length > 0 ? old : others.slice(0, OLDEST), when);
    if (target.effects === undefined) verdicts.notApplicable(LIST, sender.noEffects());
    else {
      const { unreadable, odd } = target.effects;
      const isRight = unreadable === undefined && odd.length === 0;
      verdicts.expect(LIST, isRight, () => unreadable ?? odd.slice(0, 5).join("; "));
    }
    if (target.restart === undefined || verdicts.hasFailed(RETRIES)) return;
    await target.restart();
    await repeated(sender, [...old.slice(0, 4), ...others.slice(-4)], "after a restart");
  },
});

/** A receiver may keep its list of effects in memory: after a restart, only later runs count. */
async function repeated(sender: Sender, events: readonly TestEvent[], when: string): Promise<void> {
  const { verdicts } = sender;
  const before = await sender.effects([]);
  const sent = await sender.postAll(events.map((event) => sender.attempt(event)));
  const seen = await sender.finalEffects();
  verdicts.notApplicable(RETRIES, sender.noEffects());
  for (const { event, reply } of sent) {
    const { id, type } = event;
    if (!reply.isAcknowledged)
      verdicts.fail(RETRIES, `${type} ${when}: expected an acknowledgement, got ${reply.summary}`, [
        reply,
      ]);
    if (seen === undefined || before === undefined) continue;
    const isStill = seen.count(id) <= before.count(id);
    verdicts.expect(RETRIES, isStill, () => `${type} ${when}: its handler ran again`, [reply]);
  }
}
