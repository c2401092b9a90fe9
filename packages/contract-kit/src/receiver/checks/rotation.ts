import type { ReceiverCheck } from "../../check.ts";
import { receiverCheck } from "../play.ts";

const ROTATION = "R-VERIFY-ROTATION";

/** Every secret that the receiver is said to have, alone and together. */
export const rotation: ReceiverCheck = receiverCheck({
  id: "receiver/rotation",
  title: "an attempt that any of the receiver's secrets signed is taken",
  requirements: [ROTATION],
  play: async (bench) => {
    const { docket, signing } = bench;
    const { secrets } = bench.target;
    if (secrets.length < 2) {
      docket.unseen(ROTATION, "one secret was given: a second one in COUNTERSIGN_SECRET shows it");
      return;
    }
    const cases = [
      ...secrets.map((secret, index) => ({ what: `secret ${index + 1}`, signers: [secret] })),
      ...(signing.separator === undefined ? [] : [{ what: "all secrets", signers: secrets }]),
    ];
    const replies = await bench.postAll(
      cases.map(({ signers }) => bench.attempt(bench.event(), { secrets: signers })),
    );
    cases.forEach(({ what }, index) => {
      const reply = replies[index];
      if (reply === undefined) return;
      docket.judge(
        ROTATION,
        reply.isAcknowledged,
        () => `an attempt that ${what} signed: to be taken, and ${reply.said} came`,
        () => [reply.exchange()],
      );
    });
  },
});
