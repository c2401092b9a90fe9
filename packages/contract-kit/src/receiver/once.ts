import type { ReceiverCheck } from "../check.ts";
import type { AttemptOrder } from "../harness/attempt-maker.ts";
import { sleep } from "../harness/clock.ts";
import { NO_FAILURES } from "../harness/effects.ts";
import { type Header, type Reply, without } from "../harness/message.ts";
import type { CatalogueRow, TestEvent } from "../harness/provider-events.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import type { ReceiverTarget } from "../harness/receiver-target.ts";
import { receiverCheck } from "./receiver-check.ts";

const DUPLICATE = "R-ONCE-DUPLICATE";

export const hasNoId = ({ events, provider: { title } }: ReceiverTarget): string | undefined =>
  events.hasId ? undefined : `${title} sends no id of the event`;

/** Headers that differ between honest attempts of one event. */
export const OTHER_HEADERS: readonly Header[] = [
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

const CONCURRENT = "R-ONCE-CONCURRENT";
const IN_PROGRESS = "R-ACK-IN-PROGRESS";
const IN_TIME = "R-ACK-IN-TIME";

const TOGETHER = 8;
/** When a second attempt of an event arrives, as a share of the time that the receiver takes for one. */
const SHARES = [0.15, 0.4, 0.65, 0.9];

export const concurrent: ReceiverCheck = receiverCheck({
  id: "receiver/concurrent",
  title:
    "of identical concurrent attempts one runs the handler, and no other one acknowledges for it",
  requirements: [CONCURRENT, IN_PROGRESS, IN_TIME],
  skipsWithoutEffects: true,
  inapplicable: hasNoId,
  run: async (kit) => {
    const { effects } = kit.target;
    const pace = await paceOf(kit);
    for (const [turn, share] of [0, 0, ...SHARES].entries())
      await succeeding(kit, await sendOverlapping(kit, { row: kit.row(turn * 5), share, pace }));
    const takesOrders = (await effects?.failNext(0)) === true;
    if (!takesOrders) kit.verdicts.notApplicable(IN_PROGRESS, NO_FAILURES);
    for (const share of takesOrders ? [0, ...SHARES] : []) {
      await effects?.failNext(1);
      await whileFailing(kit, await sendOverlapping(kit, { share, pace, isFailing: true }));
      await effects?.failNext(0);
    }
  },
});

interface Pace {
  /** Milliseconds from an attempt to its answer. */
  readonly ms: number;
  /** True if an effect is there once its attempt is acknowledged. */
  readonly isAfterHandler: boolean;
}

async function paceOf(kit: KitSender): Promise<Pace> {
  const times: number[] = [];
  let isAfterHandler = true;
  for (let turn = 0; turn < 3; turn += 1) {
    const attempt = kit.attempt();
    const began = kit.now();
    const reply = await kit.post(attempt);
    times.push(kit.now() - began);
    const seen = await kit.waitForEffects([]);
    isAfterHandler &&= reply.isAcknowledged && seen?.count(attempt.event) === 1;
  }
  return { ms: Math.min(...times), isAfterHandler };
}

interface Overlap {
  readonly row?: CatalogueRow | undefined;
  /** 0: all at the same moment. */
  readonly share: number;
  readonly pace: Pace;
  readonly isFailing?: boolean;
}

interface Overlapped {
  readonly what: string;
  readonly event: TestEvent;
  readonly replies: readonly Reply[];
  readonly acknowledged: readonly Reply[];
  /** The second one if it was acknowledged while the first one had neither an answer nor an effect. */
  readonly early?: Reply | undefined;
}

/** Sends one event several times, each before the first one is answered. */
async function sendOverlapping(
  kit: KitSender,
  { row, share, pace, isFailing = false }: Overlap,
): Promise<Overlapped> {
  const event = kit.event({ row });
  const when = share === 0 ? "at once" : `${Math.round(share * 100)} % of its time apart`;
  const what = `attempts of one event ${when}${isFailing ? ", whose handler fails" : ""}`;
  const attempt = kit.attempt({ event, what });
  let early: Reply | undefined;
  let replies: readonly Reply[];
  if (share === 0) {
    const all = await kit.postTogether(Array.from({ length: TOGETHER }, () => ({ ...attempt })));
    replies = all.filter((reply) => reply !== undefined);
  } else {
    let isAnswered = false;
    const first = kit.post(attempt, { retriesOnly429: true }).finally(() => (isAnswered = true));
    await sleep(kit.target.sockets.clock, share * pace.ms);
    const second = await kit.post(attempt, { retriesOnly429: true });
    const seen = second.isAcknowledged && pace.isAfterHandler && (await kit.waitForEffects([]));
    if (seen && !isAnswered && seen.count(event) === 0) early = second;
    replies = [await first, second];
  }
  const late = replies.filter(({ failure }) => failure === "timeout");
  const message = `${late.length} of ${replies.length} ${what}: ${late[0]?.summary}`;
  kit.expect(IN_TIME, late.length === 0, message, late[0]);
  const acknowledged = replies.filter((reply) => reply.isAcknowledged);
  return { what, event, replies, acknowledged, early };
}

async function succeeding(kit: KitSender, sent: Overlapped): Promise<void> {
  const { what, event, replies, acknowledged, early } = sent;
  const unsafe = `${what}: the second one was acknowledged while the handler of the first one ran: if it fails, the event is lost`;
  if (early !== undefined) kit.verdicts.fail(IN_PROGRESS, unsafe, [early]);
  // A busy receiver may refuse all of them; then the sender retries.
  if (acknowledged.length === 0) await kit.post(kit.attempt({ event }));
  const count = (await kit.waitForEffects([event]))?.count(event);
  const message = `${replies.length} ${what}: expected one run, got ${count}; ${acknowledged.length} were acknowledged`;
  if (count !== undefined)
    kit.expect(CONCURRENT, count === 1, message, acknowledged[0] ?? replies[0]);
}

/** The handler fails while others of its event are there: what was acknowledged would be lost. */
async function whileFailing(kit: KitSender, sent: Overlapped): Promise<void> {
  const { verdicts } = kit;
  kit.blamedIfLost = IN_PROGRESS;
  const { what, event, replies, acknowledged } = sent;
  if (acknowledged.length === 0) return verdicts.pass(IN_PROGRESS);
  const seen = await kit.waitForEffects([event]);
  if (seen === undefined) return undefined;
  // The one whose handler ran and failed is not in progress elsewhere.
  const isKept = seen.count(event) > 0 || acknowledged.length === 1;
  const lost = `${acknowledged.length} of ${replies.length} ${what}, were acknowledged, the handler was ordered to fail once, and no effect has shown: the event is lost`;
  if (!isKept) verdicts.fail(IN_PROGRESS, lost, [acknowledged[0]]);
  if (replies.length - acknowledged.length > 1) verdicts.pass(IN_PROGRESS);
  const alone = "no attempt met another one of its event in progress";
  return verdicts.notApplicable(IN_PROGRESS, alone);
}
