import type { DeliveryEngine } from "@countersign/service";
import type { Faults } from "./faults.ts";

/** What the controls work with beside the service. */
export interface Parts {
  readonly engine: DeliveryEngine;
  readonly faults: Faults;
  /** Hears that a namespace has been emptied. */
  readonly onReset: (merchantId: string) => void;
  /** Types of accounts, as the profile has them. */
  readonly accountTypes: readonly string[];
}
