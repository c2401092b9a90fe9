import type { ReceiverCheck } from "../../check.ts";
import type { Bench, BenchEvent } from "../../harness/bench.ts";
import type { Reply } from "../../harness/reply.ts";
import { receiverCheck } from "../../harness/play.ts";
import { NO_EFFECTS } from "../../harness/effects.ts";
import { sleep } from "../../harness/clock.ts";

const SHED = "R-LOAD-SHED";

const AT_ONCE = 64;
const ROUND_MS = 100;
/** Rounds in a row in which nothing more was taken, after which nobody comes again. */
const IDLE_ROUNDS = 5;

/** More events at once than most receivers have handlers for, and their next attempts. */
export const load: ReceiverCheck = receiverCheck({
  id: "receiver/load",
  title: "of many events at once none is lost: what is not handled is answered 503",
  requirements: [SHED],
  play: async (bench) => {
    const { docket, target } = bench;
    const { perSecond } = target.wire;
    if (perSecond !== undefined && perSecond < AT_ONCE) {
      docket.unseen(
        SHED,
        `it takes ${AT_ONCE} events at once, and ${perSecond} a second are the cap`,
      );
      return;
    }
    // Of one moment, since which of them arrives first is nobody's affair here.
    const at = target.wire.clock.now();
    const events = Array.from({ length: AT_ONCE }, () => bench.event({ at }));
    const first = await bench.postTogether(events.map((event) => bench.attempt(event)));
    const replies = await untilTaken(bench, events, first);
    const effects = await bench.effects(events.map(({ id }) => id));
    const isShed = first.some((reply) => !reply.isAcknowledged);
    if (effects === undefined) docket.unseen(SHED, NO_EFFECTS);
    else if (!isShed) docket.unseen(SHED, `${AT_ONCE} events at once are within its limit`);
    events.forEach((event, index) => {
      const [reply, last] = [first[index], replies[index]];
      if (reply === undefined || last === undefined) return;
      const exchanges = (): ReturnType<typeof reply.exchange>[] => [
        reply.exchange(),
        last.exchange(),
      ];
      docket.refute(
        SHED,
        reply.isAcknowledged || reply.status === 503 || reply.status === 429,
        () =>
          `one of ${AT_ONCE} events at once: 503 expected where it is not handled, ${reply.said} came`,
        exchanges,
      );
      docket.refute(
        SHED,
        last.isAcknowledged,
        () => `one of ${AT_ONCE} events at once: its later attempts are answered by ${last.said}`,
        exchanges,
      );
      if (effects === undefined || !last.isAcknowledged) return;
      (isShed ? docket.judge : docket.refute)(
        SHED,
        effects.has(event.id),
        () =>
          `one of ${AT_ONCE} events at once: acknowledged${isShed ? " in the end" : ""}, and its handler has not run`,
        exchanges,
      );
    });
  },
});

/** The sender's next attempts of what was not taken, as long as each few rounds bring some of it on. */
async function untilTaken(
  bench: Bench,
  events: readonly BenchEvent[],
  first: readonly Reply[],
): Promise<readonly Reply[]> {
  const missing = (replies: readonly Reply[]): number =>
    replies.filter((reply) => !reply.isAcknowledged).length;
  let replies = first;
  for (let idle = 0; idle < IDLE_ROUNDS && missing(replies) > 0;) {
    const before = replies;
    // oxlint-disable-next-line no-await-in-loop -- one round after the other
    await sleep(bench.target.wire.clock, ROUND_MS);
    // oxlint-disable-next-line no-await-in-loop -- as above
    replies = await Promise.all(
      events.map((event, index) => {
        const reply = before[index];
        return reply?.isAcknowledged === true
          ? Promise.resolve(reply)
          : bench.post(bench.attempt(event));
      }),
    );
    idle = missing(replies) < missing(before) ? 0 : idle + 1;
  }
  return replies;
}
