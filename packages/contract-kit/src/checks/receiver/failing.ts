import type { ReceiverCheck } from "../../check.ts";
import type { Bench, BenchEvent } from "../../harness/bench.ts";
import { receiverCheck } from "../../harness/play.ts";
import type { Reply } from "../../harness/reply.ts";
import { NO_EFFECTS, NO_FAILURES } from "../../harness/effects.ts";
import { sleep } from "../../harness/clock.ts";

const AFTER_HANDLER = "R-ACK-AFTER-HANDLER";
const FAILED = "R-ACK-FAILED";
const RETRY_AFTER = "R-ACK-RETRY-AFTER";
const requirements = [AFTER_HANDLER, FAILED, RETRY_AFTER];

const MAX_ATTEMPTS = 4;
const MAX_WAIT_MS = 2000;

/** A handler that is told to fail once. */
export const failing: ReceiverCheck = receiverCheck({
  id: "receiver/failing",
  title: "an attempt whose handler fails is not acknowledged, and the next one runs it again",
  requirements,
  play: async (bench) => {
    const { docket, target } = bench;
    const unseen = (reason: string): void => {
      for (const requirement of requirements) docket.unseen(requirement, reason);
    };
    if (target.effects === undefined) return unseen(NO_EFFECTS);
    if (!(await target.effects.failNext(1))) return unseen(NO_FAILURES);

    const event = bench.event();
    const first = await bench.post(bench.attempt(event));
    await target.effects.mend();
    if (first.isAcknowledged) {
      const effects = await bench.effects([event.id]);
      // Acknowledged once it was stored: it keeps its promise by itself.
      if ((effects?.get(event.id)?.count ?? 0) > 0)
        return unseen("it acknowledges what it has stored, and ran the handler again by itself");
      for (const requirement of [AFTER_HANDLER, FAILED])
        docket.judge(
          requirement,
          false,
          () =>
            `the handler failed, ${first.said} came, and it has not run again: the event is lost`,
          () => [first.exchange()],
        );
      docket.unseen(RETRY_AFTER, "the failure was acknowledged");
      return;
    }
    docket.judge(AFTER_HANDLER, true, () => "");
    docket.judge(
      RETRY_AFTER,
      first.status === 503 && first.header("retry-after") !== undefined,
      () =>
        `503 with Retry-After expected, ${first.said} ${first.header("retry-after") === undefined ? "without" : "with"} Retry-After came`,
      () => [first.exchange()],
    );
    const next = await untilTaken(bench, event, first);
    const effects = await bench.effects(next.isAcknowledged ? [event.id] : []);
    const count = effects?.get(event.id)?.count ?? 0;
    docket.judge(
      FAILED,
      next.isAcknowledged && count === 1,
      () =>
        `the next attempt was answered by ${next.said}, and its handler has succeeded ${count} times: once expected`,
      () => [first.exchange(), next.exchange()],
    );
  },
});

/** The sender's next attempts, no sooner than it was asked, for a few seconds. */
async function untilTaken(bench: Bench, event: BenchEvent, first: Reply): Promise<Reply> {
  let last = first;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    // The first retry comes at once: a failure must not block it.
    if (attempt > 0) {
      const asked = Number(last.header("retry-after") ?? 0) * 1000;
      const wait = Number.isFinite(asked) ? Math.min(asked, MAX_WAIT_MS) : 0;
      // oxlint-disable-next-line no-await-in-loop -- attempts of one delivery never overlap
      await sleep(bench.target.wire.clock, wait);
    }
    // oxlint-disable-next-line no-await-in-loop -- as above
    last = await bench.post(bench.attempt(event));
    if (last.isAcknowledged) break;
  }
  return last;
}
