import type { Command } from "commander";
import type { Surroundings } from "../../terminal.ts";
import { addClientCommands, addMerchantCommands } from "./accounts.ts";
import { addDeliveryCommands, addSubscriptionCommands, addTrailCommand } from "./deliveries.ts";
import { addCustomerCommands, addPaymentCommands } from "./records.ts";

/** `countersign serve admin …`. */
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
