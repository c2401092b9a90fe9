import type { ReceiverCheck } from "../../check.ts";
import type { Bench } from "../../harness/bench.ts";
import { receiverCheck } from "../../harness/play.ts";
import { NO_EFFECTS } from "../../harness/effects.ts";

const GENUINE = "R-ACK-GENUINE";
const IN_TIME = "R-ACK-IN-TIME";
const ONE = "R-ROUTE-ONE";

/** Every event of the catalogue, as a provider sends it. */
export const genuine: ReceiverCheck = receiverCheck({
  id: "receiver/genuine",
  title: "a genuine attempt of every event type is acknowledged in time, and handled once",
  requirements: [GENUINE, IN_TIME, ONE],
  isFirst: true,
  play: async (bench: Bench) => {
    const { docket, target } = bench;
    const events = target.profile.catalogue.map((row) => ({ row, event: bench.event({ row }) }));
    const replies = await bench.postAll(events.map(({ event }) => bench.attempt(event)));
    const acknowledged = events.filter((_, index) => replies[index]?.isAcknowledged);
    const effects = await bench.effects(acknowledged.map(({ event }) => event.id));
    if (effects === undefined) docket.unseen(ONE, NO_EFFECTS);
    docket.unseen(IN_TIME, "no attempt was answered");
    if (acknowledged.length === 0) docket.unseen(ONE, "no attempt was acknowledged");

    events.forEach(({ row, event }, index) => {
      const reply = replies[index];
      if (reply === undefined) return;
      const exchanges = (): [ReturnType<typeof reply.exchange>] => [reply.exchange()];
      const { received } = reply;
      // A connection that was closed is no answer, neither in time nor too late.
      if (received.kind === "answer" || received.why === "timeout")
        docket.judge(
          IN_TIME,
          received.kind === "answer",
          () => `${row.type}: ${reply.said}`,
          exchanges,
        );
      const expected = target.profile.delivery.success;
      docket.judge(
        GENUINE,
        reply.isAcknowledged,
        () => `${row.type}: ${expected} expected, ${reply.said} came`,
        exchanges,
      );
      if (effects === undefined || !reply.isAcknowledged) return;
      const ran = effects.get(event.id);
      docket.judge(
        ONE,
        ran?.count === 1 && ran.type === row.type,
        () =>
          ran === undefined
            ? `${row.type}: acknowledged, and no effect of it within ${target.effectsWaitMs} ms`
            : `${row.type}: one effect expected, ${ran.count} of ${ran.type} came`,
        exchanges,
      );
    });
  },
});
