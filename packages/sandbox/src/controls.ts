import type { Routes } from "@countersign/service/internal";
import { customerRoutes } from "./routes/customers.ts";
import { deliveryRoutes } from "./routes/deliveries.ts";
import { faultControls } from "./routes/faults.ts";
import { namespaceRoutes, type NamespaceParts } from "./routes/namespaces.ts";
import { paymentRoutes } from "./routes/payments.ts";

export interface ControlParts extends NamespaceParts {
  /** Types of accounts of the profile. */
  readonly accountTypes: readonly string[];
}

/** The controls, each working on the namespace of the call's token. */
export const controls = (parts: ControlParts): Routes => ({
  ...namespaceRoutes(parts),
  ...customerRoutes(parts.accountTypes),
  ...paymentRoutes,
  ...deliveryRoutes,
  ...faultControls(parts.faults),
});
