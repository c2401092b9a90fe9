import { type ReceiverTarget, receiverTarget } from "@countersign/contract-kit";
import { profiles } from "@countersign/schemas/profiles";
import type { Fault } from "../matrix.ts";
import { answerFaults } from "./answer-faults.ts";
import { bodyFaults } from "./body-faults.ts";
import type { Broken } from "./broken.ts";
import { secrets } from "./conduct.ts";
import { forgeryFaults } from "./forgery-faults.ts";
import { handlingFaults } from "./handling-faults.ts";
import { serve } from "./serve.ts";
import { signatureFaults } from "./signature-faults.ts";

/** Receivers with one fault each, in the order of the table. */
export const receiverFaults: readonly Fault<ReceiverTarget>[] = [
  ...forgeryFaults,
  ...signatureFaults,
  ...bodyFaults,
  ...answerFaults,
  ...handlingFaults,
].map(asFault);

function asFault({ change, ...fault }: Broken): Fault<ReceiverTarget> {
  return {
    ...fault,
    async open() {
      const { url, effectsUrl, close } = await serve(change());
      const target = receiverTarget({
        url,
        effectsUrl,
        secrets,
        profile: profiles.standard,
        slow: fault.isSlow ?? false,
        // What does not answer is waited for once or twice; what comes comes soon, also on a busy machine.
        deadlineMs: 10_000,
        effectsWaitMs: 300,
      });
      return { target, close };
    },
  };
}
