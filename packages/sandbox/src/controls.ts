import type { Routes } from "@countersign/service";
import { clockRoutes, type ClockParts } from "./routes/clock.ts";
import { customerRoutes } from "./routes/customers.ts";
import { deliveryRoutes } from "./routes/deliveries.ts";
import { eventRoutes } from "./routes/events.ts";
import { faultControls } from "./routes/faults.ts";
import { namespaceRoutes } from "./routes/namespaces.ts";
import { paymentRoutes } from "./routes/payments.ts";

export interface ControlParts extends ClockParts {
  /** Types of accounts of the profile. */
  readonly accountTypes: readonly string[];
}

/** The controls, each working on the namespace of the call's token. */
export const controls = (parts: ControlParts): Routes => ({
  ...namespaceRoutes,
  ...clockRoutes(parts),
  ...customerRoutes(parts.accountTypes),
  ...paymentRoutes,
  ...eventRoutes,
  ...deliveryRoutes,
  ...faultControls(parts.faults),
});
