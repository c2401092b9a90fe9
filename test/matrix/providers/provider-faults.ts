import type { ProviderTarget } from "@countersign/contract-kit";
import type { Fault } from "../matrix.ts";
import { broken } from "./faults.ts";
import type { OpenedProvider } from "./open-provider.ts";

/**
 * The broken services in the matrix's form, over one sandbox: each scenario has a merchant of its own, so
 * that none sees what another one left behind. It is opened with the first of them, and closed where none is
 * left open.
 */
export function providerFaults(
  open: () => Promise<OpenedProvider>,
): readonly Fault<ProviderTarget>[] {
  let shared: Promise<OpenedProvider> | undefined;
  let users = 0;
  return broken.map(({ requirement, what, also, fault, delivery }) => ({
    requirement,
    what,
    ...(also && { also }),
    open: async () => {
      users += 1;
      shared ??= open();
      const { target, close } = await shared;
      return {
        target: target({
          ...(fault && { call: fault() }),
          ...(delivery && { delivery: delivery() }),
        }),
        close: async () => {
          users -= 1;
          if (users > 0) return;
          shared = undefined;
          await close();
        },
      };
    },
  }));
}
