import type { ProviderTarget } from "@countersign/contract-kit";
import { openSandbox, quick } from "../../../packages/contract-kit/test/provider/open-sandbox.ts";
import { type Exceptions, type Fault, rowsOf } from "../fault.ts";
import { callFaults } from "./call-faults.ts";
import { deliveryFaults } from "./delivery-faults.ts";
import { startDeliveryProxy } from "./delivery-proxy.ts";
import { refundFaults } from "./refund-faults.ts";

const UNVERIFIED = { "P-EVENT-ROTATION": "An attempt that no secret verifies fails its own too." };

const exceptions: Exceptions = {
  "makes a refund for every call": {
    "P-REFUND-STATUS-CODE": "Second calls use up what the third asks for.",
  },
  "refunds more than was paid": {
    "P-REFUND-KEY-FREE": "A refund beyond the payment is one of the calls that it refuses.",
  },
  "pays a customer who was not debited": {
    "P-REFUND-FAILED-FIRST": "The failure is judged, but not reported.",
  },
  "answers with the debit's id": {
    "P-REFUND-KEY-EXISTING": "The answer to a second call names the refund's own id.",
    "P-EVENT-EACH-STATE": "Events name the refund's own id.",
  },
  "answers an unknown payment with 400": {
    "P-FOREIGN-404": "Another merchant's payment is answered like an unknown one.",
  },
  "answers a failed refund with 200": {
    "P-REFUND-FAILED-FIRST": "A refund that failed was made.",
    "P-EVENT-EACH-STATE": "A refund that failed was made.",
  },
  "reveals that another merchant's payment exists": {
    "P-REFUND-NOT-FOUND": "Another merchant's payment does not exist for this one.",
  },
  "answers an unknown customer with 400": {
    "P-INPUT-HEADERS-TOLERANT": "The check looks up an unknown customer.",
  },
  "acknowledges an unsubscription without effect": {
    "P-EVENT-ROTATION": "The first secret stays in use next to the second.",
  },
  "gives every subscription the same key": {
    "P-SUBSCRIBE-SELECT": "Every subtraction applies to the first subscription.",
    "P-EVENT-SUCCESS": "The first subscription ends instead of the last.",
  },
  "forgets a closed subscription": {
    "P-UNSUBSCRIBE-SUBTRACT": "Subtracting from a closed subscription succeeds like any other.",
  },
  "signs other bytes than it sends": UNVERIFIED,
  "serves one receiver after the other": {
    "P-EVENT-TIMEOUT": "An attempt that waits for a silent receiver has no time left.",
  },
};

async function open() {
  const sandbox = await openSandbox({ profile: quick, deliveryMs: 4000 });
  const proxy = await startDeliveryProxy(quick);
  const close = async (): Promise<void> => {
    await proxy.close();
    await sandbox.close();
  };
  return { target: sandbox.target, proxy, close };
}

// All share one sandbox while one of them is open: each scenario has its own merchant.
let shared: ReturnType<typeof open> | undefined;
let users = 0;

/** The sandbox behind one fault each, in the order of the tables. */
export const providerFaults: readonly Fault<ProviderTarget>[] = rowsOf({
  ...refundFaults,
  ...callFaults,
  ...deliveryFaults,
}).map(({ check, requirement, what, change }) => {
  return {
    check,
    requirement,
    what,
    also: exceptions[what] ?? {},
    isSlow: false,
    async open() {
      users += 1;
      shared ??= open();
      const { target, proxy, close } = await shared;
      const made = change();
      return {
        target: target((send) =>
          "call" in made ? (call) => made.call(call, send) : proxy.reroute(send, made.delivery),
        ),
        async close() {
          users -= 1;
          if (users > 0) return;
          shared = undefined;
          await close();
        },
      };
    },
  };
});
