import type { ReceiverCheck } from "../../check.ts";
import { receiverCheck } from "../../harness/play.ts";

const ROTATION = "R-VERIFY-ROTATION";

/** Every secret that the receiver is said to have, alone and together. */
export const rotation: ReceiverCheck = receiverCheck({
  id: "receiver/rotation",
  title: "an attempt that any one of the receiver's secrets signed is taken",
  requirements: [ROTATION],
  play: async (bench) => {
    const { docket, target } = bench;
    const { secrets } = target;
    if (secrets.length < 2) {
      docket.unseen(ROTATION, "one secret was given: a second one in COUNTERSIGN_SECRET shows it");
      return;
    }
    const replies = await bench.postAll(
      secrets.map((secret) => bench.attempt(bench.event(), { secrets: [secret] })),
    );
    secrets.forEach((_secret, index) => {
      const reply = replies[index];
      if (reply === undefined) return;
      docket.judge(
        ROTATION,
        reply.isAcknowledged,
        () =>
          `an attempt that secret ${index + 1} of ${secrets.length} signed: to be taken, and ${reply.said} came`,
        () => [reply.exchange()],
      );
    });
  },
});
