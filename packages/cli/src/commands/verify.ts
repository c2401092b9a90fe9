import type { Command } from "commander";
import type { Surroundings } from "../terminal.ts";
import { declareVerifyPacts } from "./verify-pacts.ts";
import { declareVerifyProvider } from "./verify-provider.ts";
import { declareVerifyReceiver } from "./verify-receiver.ts";
import { declareVerifySender } from "./verify-sender.ts";

/** `countersign verify …`. */
export function declareVerify(verify: Command, surroundings: Surroundings): void {
  const member = (name: string, summary: string): Command =>
    verify.command(name).description(summary);
  declareVerifyReceiver(
    member("receiver", "Test a webhook receiver in any language"),
    surroundings,
  );
  declareVerifySender(member("sender", "Test a sender of webhooks in any language"), surroundings);
  declareVerifyProvider(member("provider", "Test a payment service over HTTP"), surroundings);
  declareVerifyPacts(
    member("pacts", "Test a service or a receiver against its consumers' pacts"),
    surroundings,
  );
}
