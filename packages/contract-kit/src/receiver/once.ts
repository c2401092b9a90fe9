import type { ReceiverCheck } from "../check.ts";
import type { Attempt, AttemptOptions } from "../harness/attempt-maker.ts";
import { NO_FAILURES } from "../harness/effects.ts";
import { type Header, without } from "../harness/message.ts";
import type { TestEvent } from "../harness/provider-events.ts";
import type { Sender } from "../harness/sender.ts";
import type { ReceiverTarget } from "../target.ts";
import { expectAccepted, type Genuine, receiverCheck } from "./receiver-check.ts";

const DUPLICATE = "R-ONCE-DUPLICATE";
const REUSED = "R-ONCE-REUSED";
const DISTINCT = "R-ONCE-DISTINCT";

const hasNoId = ({ events, provider: { title } }: ReceiverTarget): string | undefined =>
  events.hasId ? undefined : `${title} sends no id of the event`;

const resent =
  (options: (sender: Sender) => AttemptOptions) =>
  (sender: Sender, { event }: Attempt): Attempt =>
    sender.attempt(event, options(sender));

/** Headers that differ between honest attempts of one event. */
const OTHER_HEADERS: readonly Header[] = [
  ["User-Agent", "cstest/2"],
  ["X-Request-Id", "cstest-other"],
  ["X-Forwarded-For", "203.0.113.9"],
  ["Idempotency-Key", "cstest-other"],
  ["Webhook-Attempt", "2"],
  ["traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
];

/** How a sender repeats an event whose answer it missed. */
const REPEATS: readonly (readonly [
  what: string,
  again: (sender: Sender, attempt: Attempt) => Attempt,
])[] = [
  ["the same bytes again", (_sender, attempt) => attempt],
  ["a second later", resent((sender) => ({ timestamp: sender.seconds() + 1, retries: 1 }))],
  ["a minute earlier", resent((sender) => ({ timestamp: sender.seconds() - within(sender, 61) }))],
  [
    "four minutes later",
    resent((sender) => ({ timestamp: sender.seconds() + within(sender, 240) })),
  ],
  [
    "with other headers that are not signed",
    resent((sender) => ({ headers: without(OTHER_HEADERS, sender.signing.headers) })),
  ],
  ["by the other secret", resent((sender) => ({ secrets: sender.secrets.slice(-1) }))],
  [
    "as another delivery",
    (sender, attempt) => {
      const { id, resource, type } = attempt.event;
      const event = sender.event({ id, resource, type, delivery: `${id}again` });
      const isSame = event.id === id && sender.target.provider.delivery !== undefined;
      return isSame ? sender.attempt(event) : attempt;
    },
  ],
];

/** Seconds that keep a margin to the provider's tolerance. */
const within = ({ signing }: Sender, seconds: number): number =>
  Math.max(0, Math.min(seconds, signing.toleranceSeconds - 30));

/** Repeats of each kind. */
const TURNS = 2;

export const duplicates: ReceiverCheck = receiverCheck({
  id: "receiver/duplicates",
  title: "a handled event is acknowledged without its handler, and no other event is",
  requirements: [DUPLICATE, REUSED, DISTINCT],
  isSearch: true,
  strict: [REUSED],
  inapplicable: hasNoId,
  run: async (sender) => {
    const { verdicts, events } = sender;
    const first = REPEATS.map(([what], index) => {
      const row = events.rows[(sender.seed + index) % events.rows.length];
      return sender.attempt(sender.event({ row }), { what });
    });
    await sender.postAll(first);
    // An event in progress may get this answer; it is not a duplicate yet.
    await sender.effects(first.map(({ event }) => event));
    const repeats = await sender.postAll(
      REPEATS.flatMap(([, again], index) => {
        const attempt = first[index];
        if (attempt === undefined) return [];
        return Array.from({ length: TURNS }, () => ({ ...again(sender, attempt), attempt }));
      }),
    );
    const seen = await sender.finalEffects(first.map(({ event }) => event));
    if (seen === undefined) verdicts.notApplicable(DUPLICATE, sender.noEffects());
    for (const attempt of first) {
      const own = repeats.filter((one) => one.attempt === attempt);
      const replies = own.map(({ reply }) => reply);
      const refused = replies.find((reply) => !reply.isAcknowledged);
      if (refused !== undefined)
        verdicts.fail(
          DUPLICATE,
          refused.insteadOf(`${attempt.what}: expected an acknowledgement`),
          [refused],
        );
      const ids = [...new Set([attempt, ...own].flatMap(({ event }) => event.ids))];
      const count = seen?.count({ ids });
      if (count === undefined) continue;
      verdicts.expect(
        DUPLICATE,
        count <= 1,
        () => `${attempt.what}: its handler has run ${count} times`,
        replies.slice(0, 1),
      );
    }
    if (sender.isSelected(REUSED)) await reused(sender);
    await expectAccepted(sender, DISTINCT, lookalikes(sender));
  },
});

async function reused(sender: Sender): Promise<void> {
  const { verdicts, events } = sender;
  const [first, second = first] = events.rows;
  const event = sender.event({ row: first });
  await sender.post(sender.attempt(event));
  const other = sender.event({ id: event.id, row: second, resource: `${event.id}o` });
  const reply = await sender.post(sender.attempt(other));
  const seen = await sender.finalEffects();
  if (seen === undefined) {
    verdicts.notApplicable(REUSED, sender.noEffects());
    return;
  }
  const count = seen.count(event);
  verdicts.expect(REUSED, count === 1, () => `its handler has run ${count} times`, [reply]);
}

/** The longest id of the reference interface, and one that every vendor's table has room for. */
const LONGEST_ID = 64;
const LONGEST_VENDORS_ID = 40;

/** Ids that a store, a cache or a careless comparison takes for one. */
function lookalikes(sender: Sender): readonly Genuine[] {
  const { events, target } = sender;
  const stem = sender.event().id;
  const longest = target.provider.sending === undefined ? LONGEST_VENDORS_ID : LONGEST_ID;
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
  const row = events.rows[sender.seed % events.rows.length];
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
  needsEffects: true,
  inapplicable: hasNoId,
  run: async (sender) => {
    const { target, events } = sender;
    for (let turn = 0; turn < EVENTS; turn += 1) {
      const row = events.rows[(sender.seed + turn * 5) % events.rows.length];
      await together(sender, sender.event({ row }));
    }
    if ((await target.effects?.failNext(1)) === true) {
      await whileFailing(sender);
      await target.effects?.failNext(0);
    } else sender.verdicts.notApplicable(IN_PROGRESS, NO_FAILURES);
  },
});

async function together(sender: Sender, event: TestEvent): Promise<void> {
  const sent = Array.from({ length: TOGETHER }, () => sender.attempt(event));
  const replies = (await sender.postTogether(sent)).filter((reply) => reply !== undefined);
  const acknowledged = replies.filter((reply) => reply.isAcknowledged);
  // A busy receiver may refuse all of them; then the sender retries.
  if (acknowledged.length === 0) await sender.post(sender.attempt(event));
  const seen = await sender.effects([event]);
  if (seen === undefined) return;
  const count = seen.count(event);
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
  const seen = await sender.effects([event]);
  if (seen === undefined) return undefined;
  // The one whose handler ran and failed is not in progress elsewhere.
  const isKept = seen.count(event) > 0 || acknowledged.length === 1;
  if (!isKept)
    verdicts.fail(
      IN_PROGRESS,
      `${acknowledged.length} of ${replies.length} concurrent attempts were acknowledged, and the only run of the handler failed: the event is lost`,
      [shown],
    );
  if (replies.length - acknowledged.length > 1) verdicts.pass(IN_PROGRESS);
  return verdicts.notApplicable(IN_PROGRESS, "no attempt met another one of its event in progress");
}
