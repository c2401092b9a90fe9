import type { Profile } from "@countersign/schemas/profiles";
import type { NamespaceClocks } from "../delivery/namespace-clocks.ts";
import type { DeliveryPolicy } from "../delivery/policy.ts";
import type { Signer } from "../delivery/signer.ts";
import type { Vault } from "../secrets/vault.ts";
import type { Faults } from "./faults.ts";
import type { CheckRuns } from "./inspector/checks.ts";
import type { Wires } from "./inspector/wires.ts";
import type { Target } from "./seed.ts";
import type { Streams } from "./streams.ts";

/** The parts of a running sandbox that its routes use. */
export interface Parts {
  readonly profile: Profile;
  readonly delivery: DeliveryPolicy;
  readonly sign: Signer;
  readonly vault: Vault;
  /** Value of the `user-agent` header of deliveries. */
  readonly userAgent: string;
  readonly clocks: NamespaceClocks;
  readonly faults: Faults;
  readonly wires: Wires;
  readonly streams: Streams;
  /** The address of the command line. */
  readonly target: Target | undefined;
  /** `undefined` without a target, or with nothing to run. */
  readonly checks: CheckRuns | undefined;
}
