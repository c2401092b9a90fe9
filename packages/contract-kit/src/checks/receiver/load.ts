import type { ReceiverCheck } from "../../check.ts";
import type { Bench, BenchEvent } from "../../harness/bench.ts";
import { sleep } from "../../harness/clock.ts";
import { receiverCheck } from "../../harness/play.ts";
import type { Reply } from "../../harness/reply.ts";

const SHED = "R-LOAD-SHED";

const AT_ONCE = 64;
const ROUND_MS = 100;
/** Consecutive rounds without an accepted attempt, after which no sender retries. */
const IDLE_ROUNDS = 5;

/** More events at once than most receivers have handlers for, and their next attempts. */
export const load: ReceiverCheck = receiverCheck({
  id: "receiver/load",
  title: "of many concurrent events none is lost: those that are not handled are answered 503",
  requirements: [SHED],
  play: async (bench) => {
    const { docket, target } = bench;
    const { perSecond } = target.wire;
    if (perSecond !== undefined && perSecond < AT_ONCE) {
      const reason = `it takes ${AT_ONCE} events at once, and ${perSecond} a second are the cap`;
      docket.unseen(SHED, reason);
      return;
    }
    // With one timestamp, since their order does not matter here.
    const at = target.wire.clock.now();
    const events = Array.from({ length: AT_ONCE }, () => bench.event({ at }));
    const first = await bench.postTogether(events.map((event) => bench.attempt(event)));
    const last = await untilTaken(bench, events, first);
    const seen = await bench.effects(
      events.filter((_, index) => last[index]?.isAcknowledged).map(({ id }) => id),
    );
    const together = first.filter((reply) => reply !== undefined);
    const isShed = together.some((reply) => !reply.isAcknowledged);
    if (seen === undefined) docket.unseen(SHED, bench.noEffects());
    else if (!isShed) docket.unseen(SHED, `${together.length} events at once are within its limit`);
    const what = `one of ${together.length} events at once`;
    events.forEach((event, index) => {
      const [reply, final] = [first[index], last[index]];
      if (reply !== undefined)
        docket.refute(
          SHED,
          reply.isAcknowledged || reply.status === 503 || reply.status === 429,
          [reply, final],
          () => `${what}: expected 503 if it is not handled, got ${reply.said}`,
        );
      if (final === undefined) return;
      docket.refute(
        SHED,
        final.isAcknowledged,
        [reply, final],
        () => `${what}: its later attempts are answered by ${final.said}`,
      );
      if (seen === undefined || !final.isAcknowledged) return;
      (isShed ? docket.judge : docket.refute)(
        SHED,
        seen.count(event.id) > 0,
        [reply, final],
        () => `${what}: acknowledged${isShed ? " in the end" : ""}, and its handler has not run`,
      );
    });
  },
});

/** The sender's next attempts of what was not taken, as long as some rounds bring more of it. */
async function untilTaken(
  bench: Bench,
  events: readonly BenchEvent[],
  first: readonly (Reply | undefined)[],
): Promise<readonly (Reply | undefined)[]> {
  const replies = [...first];
  const missing = (): readonly number[] =>
    events.flatMap((_, index) => (replies[index]?.isAcknowledged === true ? [] : [index]));
  for (let idle = 0, left = missing(); idle < IDLE_ROUNDS && left.length > 0;) {
    // oxlint-disable-next-line no-await-in-loop -- one round after the other
    await sleep(bench.target.wire.clock, ROUND_MS);
    const own = left.flatMap((index) => events[index] ?? []);
    // oxlint-disable-next-line no-await-in-loop -- as above
    const next = await bench.postAll(own.map((event) => bench.attempt(event)));
    left.forEach((index, place) => {
      replies[index] = next[place];
    });
    const before = left.length;
    left = missing();
    idle = left.length < before ? 0 : idle + 1;
  }
  return replies;
}
