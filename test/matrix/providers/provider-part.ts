import { providerChecks } from "@countersign/contract-kit";
import type { ProviderTarget } from "@countersign/contract-kit";
import type { Part } from "../part.ts";
import { goodProviders } from "./good-providers.ts";
import { openProvider } from "./open-provider.ts";
import { providerFaults } from "./provider-faults.ts";

/** All that the matrix of providers is made of. The broken ones share a sandbox, opened with the first. */
export function providerPart(): Part<ProviderTarget> {
  return {
    role: "provider",
    checks: providerChecks,
    faults: providerFaults(openProvider),
    good: goodProviders,
    // Enough for each generated check to meet what is wrong with its own broken services.
    runs: 12,
    atOnce: 3,
  };
}
