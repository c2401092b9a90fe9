import type { ReceiverCheck } from "../check.ts";
import type { AttemptOrder } from "../harness/attempt-maker.ts";
import { NO_FAILURES } from "../harness/effects.ts";
import { type Header, without } from "../harness/message.ts";
import type { TestEvent } from "../harness/provider-events.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import { withQuery } from "./forged-operation.ts";
import { paceOf, play } from "./histories.ts";
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

/** How an event is repeated whose answer its sender missed: what differs from the first attempt. */
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

const TURNS = 2;

export const duplicates: ReceiverCheck = receiverCheck({
  id: "receiver/duplicates",
  title: "a handled event is acknowledged again without its handler",
  requirements: [DUPLICATE],
  needs: ["id"],
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
        const fault = await play(kit, [{ kind, event: turn % 3, share }], pace);
        if (fault === undefined) for (const one of [own, IN_TIME]) verdicts.pass(one);
        else {
          const isNamed = verdicts.requirements.includes(fault.requirement);
          verdicts.fail(isNamed ? fault.requirement : own, fault.message, fault.replies);
        }
      }
    }
  },
});
