import type { ReceiverCheck } from "../../check.ts";
import type { Attempt, BenchEvent } from "../../harness/bench.ts";
import { receiverCheck } from "../../harness/play.ts";
import { NO_EFFECTS } from "../../harness/effects.ts";

const DUPLICATE = "R-ONCE-DUPLICATE";

/** The same event again, as a sender sends it that missed the answer. */
export const duplicates: ReceiverCheck = receiverCheck({
  id: "receiver/duplicates",
  title: "an event that was handled is acknowledged again, and its handler does not run again",
  requirements: [DUPLICATE],
  play: async (bench) => {
    const { docket } = bench;
    const again: readonly (readonly [string, (event: BenchEvent, first: Attempt) => Attempt])[] = [
      ["the same bytes again", (_event, first) => first],
      ["with a new time", (event) => bench.attempt(event, { timestamp: bench.seconds() - 1 })],
      [
        "with other headers that are not signed",
        (event) =>
          bench.attempt(event, {
            headers: [
              ["User-Agent", "cstest/2"],
              ["X-Request-Id", "cstest-other"],
              ["Idempotency-Key", "cstest-other"],
              ["Webhook-Attempt", "2"],
            ],
          }),
      ],
      ["after other events", (event) => bench.attempt(event)],
    ];
    const events = again.map(() => bench.event());
    const firsts = events.map((event) => bench.attempt(event));
    const before = await bench.postAll(firsts);
    // What is still in progress may be answered so; it is no duplicate yet.
    await bench.effects(events.map(({ id }) => id));
    // Receivers that remember the last events alone have forgotten the first ones by then.
    const others = Array.from({ length: 8 }, () => bench.event());
    await bench.postAll(others.map((event) => bench.attempt(event)));

    const seconds = again.map(([, make], index) => {
      const [event, first] = [events[index], firsts[index]];
      return event === undefined || first === undefined ? undefined : make(event, first);
    });
    const replies = await bench.postAll(seconds.filter((one) => one !== undefined));
    const last = bench.event();
    await bench.post(bench.attempt(last));
    const effects = await bench.effects([...events.map(({ id }) => id), last.id]);
    if (effects === undefined) docket.unseen(DUPLICATE, NO_EFFECTS);

    again.forEach(([what], index) => {
      const [reply, first, event] = [replies[index], before[index], events[index]];
      if (reply === undefined || first === undefined || event === undefined) return;
      const exchanges = (): ReturnType<typeof reply.exchange>[] => [
        first.exchange(),
        reply.exchange(),
      ];
      docket.refute(
        DUPLICATE,
        reply.isAcknowledged,
        () => `${what}: to be acknowledged, and ${reply.said} came`,
        exchanges,
      );
      if (effects === undefined) return;
      const count = effects.get(event.id)?.count ?? 0;
      docket.judge(
        DUPLICATE,
        count <= 1,
        () => `${what}: its handler has run ${count} times`,
        exchanges,
      );
    });
  },
});
