import type { ProviderTarget } from "@countersign/contract-kit";
import { openSandbox, quick } from "../../../packages/contract-kit/test/provider/open-sandbox.ts";
import { type Fault, rowsOf } from "../matrix.ts";
import { callFaults } from "./call-faults.ts";
import { deliveryFaults } from "./delivery-faults.ts";
import { startDeliveryProxy } from "./delivery-proxy.ts";
import { refundFaults } from "./refund-faults.ts";

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
