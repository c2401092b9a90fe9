import type { ReceiverCheck } from "../../check.ts";
import { receiverCheck } from "../../harness/play.ts";

const SLOW = "R-BODY-SLOW";

const HANGING = 8;
/** How many times as long as a sender waits for its answer a receiver may wait for the rest of a body. */
const PATIENCE = 2;

/** Senders that stop in the middle of a body, and others that do not. */
export const slowBodies: ReceiverCheck = receiverCheck({
  id: "receiver/slow-bodies",
  title: "a body that does not come to its end is refused, and holds up no other attempt",
  requirements: [SLOW],
  slow: true,
  play: async (bench) => {
    const { docket, target } = bench;
    const { wire } = target;
    const hanging = Array.from({ length: HANGING }, () => {
      const attempt = bench.attempt(bench.event());
      const [connection, head] = [wire.open(), wire.head(attempt)];
      connection.write(Buffer.concat([head, attempt.body.subarray(0, attempt.body.length >> 1)]));
      return { connection, head, attempt };
    });
    const others = await bench.postAll(
      Array.from({ length: HANGING }, () => bench.attempt(bench.event())),
    );
    for (const reply of others)
      docket.judge(
        SLOW,
        reply.isAcknowledged,
        () => `a genuine attempt beside ${HANGING} slow ones: ${reply.said} came`,
        () => [reply.exchange()],
      );
    const received = await Promise.all(
      hanging.map(({ connection }) =>
        connection.read({
          method: "POST",
          deadlineMs: PATIENCE * target.profile.delivery.timeoutMs,
        }),
      ),
    );
    hanging.forEach(({ connection, head, attempt }, index) => {
      connection.close();
      const one = received[index];
      if (one === undefined) return;
      const half = attempt.body.subarray(0, attempt.body.length >> 1);
      const reply = bench.reply([head, half], one);
      const isEnded = one.kind === "answer" || one.why === "closed";
      docket.judge(
        SLOW,
        isEnded && !reply.isAcknowledged,
        () => `half a body, and then nothing: a refusal expected, ${reply.said} came`,
        () => [reply.exchange()],
      );
    });
  },
});
