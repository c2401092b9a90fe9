import type { Command } from "commander";
import type { Surroundings } from "../../terminal.ts";
import { addClientCommands } from "./clients.ts";
import { addMerchantCommands } from "./merchants.ts";

/** `countersign serve admin …`: one file a resource. */
export function addAdminCommands(serve: Command, surroundings: Surroundings): void {
  const admin = serve.command("admin").description("manage the data of the service");
  addMerchantCommands(admin, surroundings);
  addClientCommands(admin, surroundings);
}
