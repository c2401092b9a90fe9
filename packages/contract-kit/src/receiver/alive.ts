import type { ReceiverCheck } from "../check.ts";
import { expectAccepted, receiverCheck } from "./receiver-check.ts";

const ALIVE = "R-ALIVE";

const CUT_OFF = 40;

export const alive: ReceiverCheck = receiverCheck({
  id: "receiver/alive",
  title: "no attempt of the run has ended the receiver, nor does one that is cut off",
  requirements: [ALIVE],
  isLast: true,
  judgesLoss: true,
  run: async (kit) => {
    const { lost } = kit.target.runState;
    if (lost !== undefined) throw lost.error;
    // A stranger's body as well as a genuine one: reading it fails before any signature is verified.
    for (let count = 0; count < CUT_OFF; count += 1) {
      const { connection } = await kit.beginHalf(count % 2 === 0 ? kit.attempt() : kit.unsigned());
      await connection.ready;
      connection.close();
    }
    const what = "an attempt after attempts that were cut off in their bodies";
    await expectAccepted(kit, ALIVE, [kit.attempt({ what })]);
  },
});
