import type { Routes } from "@countersign/service/internal";
import { customerRoutes } from "./routes/customers.ts";
import { deliveryRoutes } from "./routes/deliveries.ts";
import { faultControls } from "./routes/faults.ts";
import { namespaceRoutes } from "./routes/namespaces.ts";
import { paymentRoutes } from "./routes/payments.ts";
import { stateRoutes, type StateParts } from "./routes/states.ts";

/** The controls, each working on the namespace of the call's token. */
export const controls = (parts: StateParts): Routes => ({
  ...namespaceRoutes(parts),
  ...(parts.profile.payments === true && {
    ...customerRoutes(parts.profile.account.types),
    ...paymentRoutes,
  }),
  ...deliveryRoutes,
  ...faultControls(parts),
  ...stateRoutes(parts),
});
