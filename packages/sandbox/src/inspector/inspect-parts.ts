import type { Profile } from "@countersign/schemas/profiles";
import type { DeliveryPolicy, Vault } from "@countersign/service";
import type { CheckRuns } from "./check-runs.ts";
import type { InspectorOptions } from "./options.ts";
import type { Streams } from "../streams.ts";
import type { Outcomes } from "./outcomes.ts";

/** What the page's own calls work with. */
export interface InspectParts {
  readonly profile: Profile;
  readonly delivery: DeliveryPolicy;
  readonly vault: Vault;
  readonly outcomes: Outcomes;
  readonly streams: Streams;
  /** Value of the `user-agent` header of deliveries. */
  readonly userAgent: string;
  readonly target: InspectorOptions["target"];
  /** Absent where there is no target, or nothing to run. */
  readonly checks: CheckRuns | undefined;
}
