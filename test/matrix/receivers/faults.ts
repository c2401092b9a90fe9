import { type ReceiverTarget, receiverTarget } from "@countersign/contract-kit";
import { profiles } from "@countersign/schemas/profiles";
import { type Fault, rowsOf } from "../matrix.ts";
import { bodyFaults } from "./body-faults.ts";
import { secrets } from "./conduct.ts";
import { handlingFaults } from "./handling-faults.ts";
import { serve } from "./serve.ts";
import { signatureFaults } from "./signature-faults.ts";

/** Requirements about the receiver's own deadlines. */
const slow: readonly string[] = ["R-BODY-SLOW", "R-ACK-HANGING"];

/** Receivers with one fault each, in the order of the tables. */
export const receiverFaults: readonly Fault<ReceiverTarget>[] = rowsOf({
  ...signatureFaults,
  ...bodyFaults,
  ...handlingFaults,
}).map(({ requirement, what, change }) => {
  const isSlow = slow.includes(requirement);
  return {
    requirement,
    what,
    isSlow,
    async open() {
      const { url, effectsUrl, close } = await serve(change());
      const target = receiverTarget({
        url,
        effectsUrl,
        secrets,
        profile: profiles.standard,
        slow: isSlow,
        // Others answer soon, but not within a short deadline on a busy machine.
        deadlineMs: requirement === "R-ACK-IN-TIME" ? 3000 : 10_000,
        effectsWaitMs: 300,
      });
      return { target, close };
    },
  };
});
