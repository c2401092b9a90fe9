import { type ReceiverTarget, receiverTarget } from "@countersign/contract-kit";
import { profiles } from "@countersign/schemas/profiles";
import { type Exceptions, type Fault, rowsOf } from "../fault.ts";
import { bodyFaults } from "./body-faults.ts";
import { secrets } from "./conduct.ts";
import { handlingFaults } from "./handling-faults.ts";
import { serve } from "./serve.ts";
import { signatureFaults } from "./signature-faults.ts";

const UNSIGNED = { "R-VERIFY-ALIKE": "A later step refuses it, for another reason." };

const exceptions: Exceptions = {
  "verifies the parsed body, serialized again": {
    "R-BODY-DOCUMENTED": "The kit pads bodies with spaces, which serializing drops.",
  },
  "accepts an attempt without a signature header": UNSIGNED,
  "inflates a compressed body and verifies the result": {
    "R-BODY-IDENTITY": "It does not answer what it inflates with 415.",
  },
  "acknowledges a body that it cannot parse": {
    "R-BODY-STRICT": "A body with a byte order mark is not JSON.",
  },
  "never answers one type of event": {
    "R-ACK-GENUINE": "An event without an answer is not acknowledged.",
  },
  "acknowledges before its handler has run": {
    "R-ACK-FAILED": "The failure comes too late to be answered.",
  },
};

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
    also: exceptions[what] ?? {},
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
