import type { ReceiverCheck } from "../check.ts";
import type { Attempt, AttemptOrder } from "../harness/attempt-maker.ts";
import { NO_FAILURES } from "../harness/effects.ts";
import { variedParts, withOtherId } from "../harness/event-keys.ts";
import { type Header, without } from "../harness/message.ts";
import type { TestEvent } from "../harness/provider-events.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import type { ReceiverTarget } from "../harness/receiver-target.ts";
import { receiverCheck } from "./receiver-check.ts";

const DUPLICATE = "R-ONCE-DUPLICATE";

const hasNoId = ({ events, provider: { title } }: ReceiverTarget): string | undefined =>
  events.hasId ? undefined : `${title} sends no id of the event`;

/** Headers that differ between honest attempts of one event. */
const OTHER_HEADERS: readonly Header[] = [
  ["User-Agent", "cstest/2"],
  ["X-Request-Id", "cstest-other"],
  ["X-Forwarded-For", "203.0.113.9"],
  ["Idempotency-Key", "cstest-other"],
  ["Webhook-Attempt", "2"],
  ["traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
];

/** Seconds that keep a margin to the provider's tolerance. */
const within = ({ signing }: KitSender, seconds: number): number =>
  Math.max(0, Math.min(seconds, signing.toleranceSeconds - 30));

/** How an event is repeated whose answer its sender missed: what differs from the first attempt. */
const REPEATS: Readonly<Record<string, (kit: KitSender, event: TestEvent) => AttemptOrder>> = {
  "a second later": (kit) => ({ timestamp: kit.seconds() + 1, retries: 1 }),
  "a minute earlier": (kit) => ({ timestamp: kit.seconds() - within(kit, 61) }),
  "four minutes later": (kit) => ({ timestamp: kit.seconds() + within(kit, 240) }),
  "with other headers that are not signed": (kit) => ({
    headers: without(OTHER_HEADERS, kit.signing.headers),
  }),
  "by the other secret": (kit) => ({ secrets: kit.secrets.slice(-1) }),
  "as another delivery": (kit, { id, resource, type }) => {
    const event = kit.event({ id, resource, type, delivery: `${id}again` });
    const isSame = event.id === id && kit.target.provider.delivery !== undefined;
    return isSame ? { event } : {};
  },
};

const TURNS = 2;

export const duplicates: ReceiverCheck = receiverCheck({
  id: "receiver/duplicates",
  title: "a handled event is acknowledged again without its handler",
  requirements: [DUPLICATE],
  inapplicable: hasNoId,
  run: async (kit) => {
    const { verdicts, expect } = kit;
    const kinds = ["the same bytes again", ...Object.keys(REPEATS)];
    const first = kinds.map((what, index) => kit.attempt({ row: kit.row(index), what }));
    await kit.postAll(first);
    // An event in progress may get this answer; it is not a duplicate yet.
    await kit.waitForEffects(first.map(({ event }) => event));
    const repeats = first.flatMap((original) => {
      const { event, what } = original;
      const change = REPEATS[what]?.(kit, event);
      const again = change === undefined ? original : kit.attempt({ event, ...change });
      return Array.from({ length: TURNS }, () => ({ ...again, original }));
    });
    const sent = await kit.observe(repeats, {}, () => true);
    for (const [original, own] of Map.groupBy(sent, (one) => one.original)) {
      const { what } = original;
      for (const { reply } of own.filter((one) => !one.reply.isAcknowledged))
        verdicts.fail(DUPLICATE, reply.insteadOf(`${what}: expected an acknowledgement`), [reply]);
      const ids = [original, ...own].flatMap(({ event }) => event.ids);
      const count = own[0]?.seen?.count({ ids });
      const message = `${what}: its handler has run ${count} times`;
      if (count !== undefined) expect(DUPLICATE, count <= 1, message, own[0]?.reply);
    }
  },
});

const DISTINCT = "R-ONCE-DISTINCT";

export const distinct: ReceiverCheck = receiverCheck({
  id: "receiver/distinct",
  title: "of two events that differ in one part of what identifies them, both are handled",
  requirements: [DISTINCT],
  inapplicable: hasNoId,
  run: async (kit) => {
    const pairs = [...lookalikes(kit), ...twins(kit)];
    const sent = await Promise.all(
      pairs.map(async ([what, first, second]) => {
        const replies = [await kit.post(first), await kit.post(second)];
        const refused = replies.find(({ isAcknowledged }) => !isAcknowledged);
        return { what, events: [first.event, second.event], replies, refused };
      }),
    );
    await hostileIds(kit);
    const accepted = sent.filter(({ refused }) => refused === undefined);
    const seen = await kit.postLastAndWaitForEffects(accepted.flatMap(({ events }) => events));
    for (const { what, events, replies, refused } of sent) {
      const answer = (refused ?? replies[1])?.insteadOf(`${what}: both are genuine`) ?? what;
      kit.expect(DISTINCT, refused === undefined, answer, ...replies);
      if (seen === undefined || refused !== undefined) continue;
      const count = seen.count({ ids: events.flatMap(({ ids }) => ids) });
      const message = `${what}: both were acknowledged, and handlers have run ${count} times: 2 expected`;
      // Vendors advise to know an event by this id alone.
      const isOneId = events[0]?.id === events[1]?.id && kit.events.form.idPlaces.length === 1;
      const shared = `${message}. One id of ${kit.target.provider.title} can come with several types: if you subscribe to more than one, remember the id with the type`;
      if (count < 2 && isOneId) kit.verdicts.warn(DISTINCT, shared, replies);
      else kit.expect(DISTINCT, count === 2, message, ...replies);
    }
  },
});

type Pair = readonly [what: string, first: Attempt, second: Attempt];

/** The longest id of the reference interface, and one that every vendor's table has room for. */
const LONGEST_ID = 64;
const LONGEST_VENDORS_ID = 40;

/** Ids that a store, a cache or a careless comparison takes for one. */
function lookalikes(kit: KitSender): readonly Pair[] {
  const stem = kit.event().id;
  const longest = kit.target.provider.sending === undefined ? LONGEST_VENDORS_ID : LONGEST_ID;
  const long = (end: string): string => `${stem}_`.padEnd(longest - end.length, "a") + end;
  const ids: readonly (readonly [what: string, one: string, other: string])[] = [
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
  const row = kit.row();
  return ids.map(([what, id, other]) => [
    `two ids ${what}`,
    kit.attempt({ id, row }),
    kit.attempt({ id: other, row }),
  ]);
}

/** Characters that mean something to a database, a shell, a file system or a format, where an id is no mere value. */
const HOSTILE = ["'", "' OR '1'='1", "/../x", "%s%n", "\\", "{{1}}", "*"];

/** Plain ones that are sent next to them: if events get lost without any reason in their ids, ids are not to blame. */
const PLAIN = ["a", "b"];

/** A genuine attempt whose id ends with a text; `undefined` if the provider's ids have another form. */
function withId(kit: KitSender, text: string): Attempt | undefined {
  const { signing, secrets } = kit;
  const plain = kit.event();
  const id = `${plain.id}${text}`;
  const event = kit.event({ id, row: kit.row() });
  if (event.id !== id) return undefined;
  const what = `an id with ${text}`;
  const { id: signed } = signing.provider;
  if (signed === undefined) return kit.attempt({ event, what });
  // No library signs such an id, so it is signed here.
  const [secret] = secrets;
  const key = secret === undefined ? undefined : signing.keyOf(secret);
  const attempt = { ...kit.attempt({ event: { ...event, id: plain.id }, what }), event };
  return (
    key &&
    kit.signedBy(
      signing.withPlace(attempt, signed.at, () => id),
      key,
    )
  );
}

/** The receiver may refuse such ids, as long as it refuses them properly; one that it takes is an event of its own. */
async function hostileIds(kit: KitSender): Promise<void> {
  const attempts = [...PLAIN, ...HOSTILE].flatMap((text) => withId(kit, text) ?? []);
  const sent = await kit.observe(attempts, {}, ({ reply }) => reply.isAcknowledged);
  const arePlainLost = sent.slice(0, PLAIN.length).some(({ runs }) => runs !== 1);
  for (const { what, reply, runs } of sent.slice(PLAIN.length)) {
    const isFailed = reply.failure !== undefined || (reply.status ?? 0) >= 500;
    kit.expect(DISTINCT, !isFailed, `${what}: expected 2xx or 4xx, got ${reply.summary}`, reply);
    if (!reply.isAcknowledged || arePlainLost) continue;
    const message = `${what}: acknowledged, and its handler has run ${runs} times: once expected`;
    kit.expect(DISTINCT, runs === 1, message, reply);
  }
}

/** Pairs that are alike in all but one part of the event's key. */
function twins(kit: KitSender): readonly Pair[] {
  const { events, signing } = kit;
  const order = () => {
    const { id, resource } = kit.event();
    return { id, resource, at: kit.now() - 5000, row: kit.row() };
  };
  const headers = without(OTHER_HEADERS, signing.headers);
  const aboutOne = (what: string, laterMs: number): Pair => {
    const { id: _, at, ...alike } = { ...order(), headers };
    return [what, kit.attempt({ ...alike, at }), kit.attempt({ ...alike, at: at + laterMs })];
  };
  const parts = variedParts(events, order()).map(([place, change]): Pair => {
    const first = order();
    const other = kit.attempt({ ...first, ...change });
    return [`two events that differ in ${place}`, kit.attempt(first), other];
  });
  const first = kit.event(order());
  const renamed = withOtherId(events, first, `${first.id}_other`);
  const equal = (event: TestEvent): Pair => {
    return ["two events with equal bodies", kit.attempt({ event: first }), kit.attempt({ event })];
  };
  return [
    aboutOne("two events of one type about one resource", 1000),
    aboutOne("two events of one type about one resource and one time", 0),
    ...parts,
    ...(renamed === undefined ? [] : [equal(renamed)]),
  ];
}

const CONCURRENT = "R-ONCE-CONCURRENT";
const IN_PROGRESS = "R-ACK-IN-PROGRESS";
const IN_TIME = "R-ACK-IN-TIME";

const TOGETHER = 8;
const EVENTS = 3;

export const concurrent: ReceiverCheck = receiverCheck({
  id: "receiver/concurrent",
  title:
    "of identical concurrent attempts one runs the handler, and no other one acknowledges for it",
  requirements: [CONCURRENT, IN_PROGRESS, IN_TIME],
  skipsWithoutEffects: true,
  inapplicable: hasNoId,
  run: async (kit) => {
    const { effects } = kit.target;
    for (let turn = 0; turn < EVENTS; turn += 1) await inParallel(kit, turn * 5);
    if ((await effects?.failNext(1)) !== true)
      return kit.verdicts.notApplicable(IN_PROGRESS, NO_FAILURES);
    await whileFailing(kit);
    await effects?.failNext(0);
    return undefined;
  },
});

async function postEach(kit: KitSender, event: TestEvent, what: string) {
  const sent = Array.from({ length: TOGETHER }, () => kit.attempt({ event, what }));
  const replies = (await kit.postTogether(sent)).filter((reply) => reply !== undefined);
  const late = replies.filter(({ failure }) => failure === "timeout");
  const message = `${late.length} of ${replies.length} attempts of one event at once (${what}): ${late[0]?.summary}`;
  kit.expect(IN_TIME, late.length === 0, message, late[0]);
  return { replies, acknowledged: replies.filter((reply) => reply.isAcknowledged) };
}

async function inParallel(kit: KitSender, index: number): Promise<void> {
  const event = kit.event({ row: kit.row(index) });
  const { replies, acknowledged } = await postEach(kit, event, "an attempt");
  // A busy receiver may refuse all of them; then the sender retries.
  if (acknowledged.length === 0) await kit.post(kit.attempt({ event }));
  const count = (await kit.waitForEffects([event]))?.count(event);
  const message = `${replies.length} attempts at once: expected one run, got ${count}; ${acknowledged.length} were acknowledged`;
  if (count !== undefined)
    kit.expect(CONCURRENT, count === 1, message, acknowledged[0] ?? replies[0]);
}

/** The handler fails while others of its event are there: what was acknowledged would be lost. */
async function whileFailing(kit: KitSender): Promise<void> {
  const { verdicts } = kit;
  kit.blamedIfLost = IN_PROGRESS;
  const event = kit.event();
  const { replies, acknowledged } = await postEach(kit, event, "an attempt whose handler fails");
  if (acknowledged.length === 0) return verdicts.pass(IN_PROGRESS);
  const seen = await kit.waitForEffects([event]);
  if (seen === undefined) return undefined;
  // The one whose handler ran and failed is not in progress elsewhere.
  const isKept = seen.count(event) > 0 || acknowledged.length === 1;
  const lost = `${acknowledged.length} of ${replies.length} concurrent attempts were acknowledged, the handler was ordered to fail once, and no effect has shown: the event is lost`;
  if (!isKept) verdicts.fail(IN_PROGRESS, lost, [acknowledged[0]]);
  if (replies.length - acknowledged.length > 1) verdicts.pass(IN_PROGRESS);
  const alone = "no attempt met another one of its event in progress";
  return verdicts.notApplicable(IN_PROGRESS, alone);
}
