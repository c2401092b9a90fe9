import type { Command } from "commander";
import type { Surroundings } from "../../terminal.ts";
import { addClientCommands } from "./clients.ts";
import { addCustomerCommands } from "./customers.ts";
import { addDeliveryCommands, addTrailCommand } from "./deliveries.ts";
import { addMerchantCommands } from "./merchants.ts";
import { addPaymentCommands } from "./payments.ts";
import { addSubscriptionCommands } from "./subscriptions.ts";

/** `countersign serve admin …`: one file per resource. */
export function addAdminCommands(serve: Command, surroundings: Surroundings): void {
  const admin = serve.command("admin").description("Manage the data of the service");
  addMerchantCommands(admin, surroundings);
  addClientCommands(admin, surroundings);
  addCustomerCommands(admin, surroundings);
  addPaymentCommands(admin, surroundings);
  addSubscriptionCommands(admin, surroundings);
  addDeliveryCommands(admin, surroundings);
  addTrailCommand(admin, surroundings);
}
