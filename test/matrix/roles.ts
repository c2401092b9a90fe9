import type { CheckOf, Target } from "@countersign/contract-kit";
import type { Fault } from "./fault.ts";
import type { Good } from "./matrix.ts";

/** The parts of one role's matrix. */
export interface Part<T extends Target> {
  readonly role: T["role"];
  readonly checks: readonly CheckOf<T>[];
  readonly faults: readonly Fault<T>[];
  readonly good: readonly Good<T>[];
  /** Broken targets that run at the same time. */
  readonly atOnce: number;
  /** Scenarios of a generated check. Default: the kit's. */
  readonly runs?: number;
}

/** Loads the parts of a role: each loads many packages. */
export const roles: Readonly<Record<Target["role"], () => Promise<Part<Target>>>> = {
  async receiver() {
    const { receiverChecks: checks } = await import("@countersign/contract-kit");
    const { receiverFaults: faults } = await import("./receivers/faults.ts");
    const { goodReceivers: good } = await import("./good/receivers.ts");
    // All parts are of one role; a union of parts is not one part of a union of targets.
    return { role: "receiver", checks, faults, good, atOnce: 4 } as unknown as Part<Target>;
  },
  async provider() {
    const { providerChecks: checks } = await import("@countersign/contract-kit");
    const { providerFaults: faults } = await import("./providers/faults.ts");
    const { goodProviders: good } = await import("./good/providers.ts");
    // 12 runs are enough for each generated check to meet the faults of its own broken services.
    const part = { role: "provider", checks, faults, good, atOnce: 3, runs: 12 };
    return part as unknown as Part<Target>;
  },
};
