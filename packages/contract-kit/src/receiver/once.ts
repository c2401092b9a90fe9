import type { ReceiverCheck } from "../check.ts";
import type { AttemptOrder } from "../harness/attempt-maker.ts";
import { sleep } from "../harness/clock.ts";
import { NO_FAILURES } from "../harness/effects.ts";
import { type Header, type Reply, without } from "../harness/message.ts";
import type { TestEvent } from "../harness/provider-events.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import { withQuery } from "./forged-operation.ts";
import { paceOf, runHistory } from "./histories.ts";
import { isTaken, receiverCheck } from "./receiver-check.ts";

const DUPLICATE = "R-ONCE-DUPLICATE";

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

/** Strict receivers may refuse a parameter that they do not know. */
const QUERY = "with a parameter in the URL that is not signed";

/** The differences between an event's first attempt, whose answer its sender missed, and the next one. */
const REPEATS: Readonly<Record<string, (kit: KitSender, event: TestEvent) => AttemptOrder>> = {
  "a second later": (kit) => ({ timestamp: kit.seconds() + 1, retries: 1 }),
  "a minute earlier": (kit) => ({ timestamp: kit.seconds() - within(kit, 61) }),
  "four minutes later": (kit) => ({ timestamp: kit.seconds() + within(kit, 240) }),
  "with other headers that are not signed": (kit) => ({
    headers: without(OTHER_HEADERS, kit.signing.headers),
  }),
  [QUERY]: ({ signing }, { path }) => (signing.signsUrl ? {} : withQuery({ path }, "cstest=other")),
  "by the other secret": (kit) => ({ secrets: kit.secrets.slice(-1) }),
  "as another delivery": (kit, { id, resource, type }) => {
    const event = kit.event({ id, resource, type, delivery: `${id}again` });
    const isSame = event.id === id && kit.target.provider.delivery !== undefined;
    return isSame ? { event } : {};
  },
};

const OLD = "of an event as old as the last retries are";
const HOUR_MS = 3_600_000;

const TURNS = 2;

export const duplicates: ReceiverCheck = receiverCheck({
  id: "receiver/duplicates",
  title: "a handled event is acknowledged again without its handler",
  requirements: [DUPLICATE],
  needs: ["id"],
  passesByEffects: true,
  run: async (kit) => {
    const { verdicts, expect } = kit;
    const { retries } = kit.target.provider;
    const hours = typeof retries === "object" && "hours" in retries ? retries.hours : 1;
    const kinds = ["the same bytes again", OLD, ...Object.keys(REPEATS)];
    const first = kinds.map((what, index) => {
      const at = kit.now() - (what === OLD ? hours - 1 : 0) * HOUR_MS;
      return kit.attempt({ row: kit.row(index), what, at });
    });
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
      const mayBeRefused = what === QUERY;
      for (const { reply } of own.filter((one) => !isTaken(one.reply, { mayBeRefused })))
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

/** When a second attempt of an event arrives, as a share of the time that the receiver takes for one. */
const SHARES = [0, 0, 0.15, 0.4, 0.65, 0.9];

export const concurrent: ReceiverCheck = receiverCheck({
  id: "receiver/concurrent",
  title:
    "of identical concurrent attempts one runs the handler, and no other one acknowledges for it",
  requirements: [CONCURRENT, IN_PROGRESS, IN_TIME],
  needs: ["effects", "id"],
  run: async (kit) => {
    const { verdicts, target } = kit;
    const takesOrders = (await target.effects?.failNext(0)) === true;
    if (!takesOrders) verdicts.notApplicable(IN_PROGRESS, NO_FAILURES);
    const pace = await paceOf(kit);
    for (const kind of ["overlap", ...(takesOrders ? ["failing overlap" as const] : [])] as const) {
      const own = kind === "overlap" ? CONCURRENT : IN_PROGRESS;
      kit.blamedIfLost = own;
      for (const [turn, share] of SHARES.entries()) {
        const fault = await runHistory(kit, [{ kind, event: turn % 3, share }], pace);
        if (fault === undefined) for (const one of [own, IN_TIME]) verdicts.pass(one);
        else {
          const isNamed = verdicts.requirements.includes(fault.requirement);
          verdicts.fail(isNamed ? fault.requirement : own, fault.message, fault.replies);
        }
      }
    }
  },
});

const SHED = "R-LOAD-SHED";

const AT_ONCE = 64;
const ROUND_MS = 100;
/** Consecutive rounds without an accepted attempt, after which no sender retries. */
const IDLE_ROUNDS = 5;

export const load: ReceiverCheck = receiverCheck({
  id: "receiver/load",
  title: "of many concurrent events none is lost: those that are not handled are answered 503",
  requirements: [SHED],
  needs: ["effects"],
  inapplicable: ({ sockets: { perSecond = Infinity } }) =>
    perSecond < AT_ONCE
      ? `it takes ${AT_ONCE} events at once, and ${perSecond} a second are the cap`
      : undefined,
  run: async (kit) => {
    const { verdicts, expect } = kit;
    // With one timestamp, since their order does not matter here.
    const at = kit.now();
    const events = Array.from({ length: AT_ONCE }, () => kit.event({ at }));
    const first = await kit.postTogether(events.map((event) => kit.attempt({ event })));
    const together = first.filter((reply) => reply !== undefined);
    const what = `one of ${together.length} events at once`;
    for (const reply of together) {
      const message = reply.insteadOf(`${what}: expected an acknowledgement, or 503 if it is busy`);
      if (!reply.isAcknowledged && !reply.isBusy) verdicts.fail(SHED, message, [reply]);
    }
    // Their retries would meet the same: nothing more is sent.
    if (verdicts.hasFailed(SHED)) return undefined;
    const last = await untilAllTaken(kit, events, first);
    const seen = await kit.waitForEffects(events.filter((_, index) => last[index]?.isAcknowledged));
    const isShed = together.some((reply) => !reply.isAcknowledged);
    events.forEach((event, index) => {
      const [reply, final] = [first[index], last[index]];
      if (final === undefined) return;
      const refused = `${what}: its later attempts are answered by ${final.summary}`;
      if (!final.isAcknowledged) verdicts.fail(SHED, refused, [reply, final]);
      if (seen === undefined || !final.isAcknowledged) return;
      const isHandled = seen.count(event) > 0;
      const lost = `${what}: acknowledged${isShed ? " in the end" : ""}, and its handler has not run`;
      if (isShed || !isHandled) expect(SHED, isHandled, lost, reply, final);
    });
    if (seen === undefined) return undefined;
    return verdicts.notApplicable(SHED, `${together.length} events at once are within its limit`);
  },
});

/** The answers after the sender's next attempts of what was not accepted, as long as some rounds bring more of it. */
async function untilAllTaken(
  kit: KitSender,
  events: readonly TestEvent[],
  first: readonly (Reply | undefined)[],
): Promise<readonly (Reply | undefined)[]> {
  const replies = [...first];
  for (let idle = 0; idle < IDLE_ROUNDS;) {
    const left = events.flatMap((event, index) =>
      replies[index]?.isAcknowledged === true ? [] : { ...kit.attempt({ event }), index },
    );
    if (left.length === 0) break;
    await sleep(kit.clock, ROUND_MS);
    const sent = await kit.postAll(left);
    for (const { index, reply } of sent) replies[index] = reply;
    idle = sent.some(({ reply }) => reply.isAcknowledged) ? 0 : idle + 1;
  }
  return replies;
}
