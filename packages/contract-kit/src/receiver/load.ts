import type { ReceiverCheck } from "../check.ts";
import { sleep } from "../harness/clock.ts";
import type { Reply } from "../harness/message.ts";
import type { TestEvent } from "../harness/provider-events.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import { receiverCheck } from "./receiver-check.ts";

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
    const { verdicts, target, expect } = kit;
    // With one timestamp, since their order does not matter here.
    const at = target.sockets.clock.now();
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

/** The sender's next attempts of what was not accepted, as long as some rounds bring more of it. */
async function untilAllTaken(
  kit: KitSender,
  events: readonly TestEvent[],
  first: readonly (Reply | undefined)[],
): Promise<readonly (Reply | undefined)[]> {
  const replies = new Map(events.map(({ id }, index) => [id, first[index]]));
  const missing = (): readonly TestEvent[] =>
    events.filter(({ id }) => replies.get(id)?.isAcknowledged !== true);
  for (let idle = 0, left = missing(); idle < IDLE_ROUNDS && left.length > 0;) {
    await sleep(kit.target.sockets.clock, ROUND_MS);
    const sent = await kit.postAll(left.map((event) => kit.attempt({ event })));
    for (const { event, reply } of sent) replies.set(event.id, reply);
    const before = left.length;
    left = missing();
    idle = left.length < before ? 0 : idle + 1;
  }
  return [...replies.values()];
}
