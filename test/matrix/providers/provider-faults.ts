import type { Fault } from "../matrix.ts";
import type { ProviderTarget } from "@countersign/contract-kit";
import { broken } from "./faults.ts";
import type { OpenedProvider } from "./open-provider.ts";

/**
 * The broken services in the matrix's form, over one sandbox: each scenario has a merchant of its own, so
 * that none sees what another one left behind.
 */
export function providerFaults({
  target,
}: Pick<OpenedProvider, "target">): readonly Fault<ProviderTarget>[] {
  return broken.map(({ requirement, what, also, fault, delivery }) => ({
    requirement,
    what,
    ...(also && { also }),
    open: () =>
      Promise.resolve({
        target: target({
          ...(fault && { call: fault() }),
          ...(delivery && { delivery: delivery() }),
        }),
        close: () => Promise.resolve(),
      }),
  }));
}
