import type { Command } from "commander";
import type { Surroundings } from "../terminal.ts";
import { declareVerifyPacts } from "./verify-pacts.ts";
import { declareVerifyProvider } from "./verify-provider.ts";
import { declareVerifyReceiver } from "./verify-receiver.ts";

/** `countersign verify …`. */
export function declareVerify(verify: Command, surroundings: Surroundings): void {
  declareVerifyProvider(verify, surroundings);
  declareVerifyPacts(verify, surroundings);
  declareVerifyReceiver(verify, surroundings);
}
