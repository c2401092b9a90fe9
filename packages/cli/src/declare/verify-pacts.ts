import type { Command } from "commander";
import type { PactsOptions } from "../commands/verify-pacts.ts";
import type { Surroundings } from "../terminal.ts";
import { verifyHelp, withVerifyOptions } from "../verify/verify-options.ts";

const pactsHelp = `
Verifies a service against the pacts of this version, or against others. Every interaction is one line with
its requirement. A service's state-change URL prepares the states; a receiver needs nothing but its secret.

Pact itself is not brought along: npm install --save-dev --ignore-scripts @pact-foundation/pact@17.1.4
${verifyHelp}

Environment (each also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_TOKEN    a service's access token with every scope
  COUNTERSIGN_STATE_TOKEN   bearer token of the state-change URL (default: COUNTERSIGN_TOKEN)
  COUNTERSIGN_SECRET   a receiver's secret
  COUNTERSIGN_BROKER_TOKEN                          of --broker-url
  COUNTERSIGN_BROKER_USERNAME, COUNTERSIGN_BROKER_PASSWORD

Examples:
  countersign verify pacts --provider-url http://127.0.0.1:4010
  countersign verify pacts --provider-url http://localhost:3000/webhooks --provider merchant-receiver
  countersign verify pacts --provider-url https://staging.example --state-url https://staging.example/test/states
  countersign verify pacts --provider-url http://127.0.0.1:4010 --report junit=pacts.xml,html=pacts.html
  countersign verify pacts --provider-url http://127.0.0.1:4010 --broker-url https://broker.example \\
    --provider-version 1.4.0 --publish`;

/** `countersign verify pacts`. */
export function declareVerifyPacts(verify: Command, surroundings: Surroundings): void {
  const command = verify
    .command("pacts")
    .description("against what consumers have agreed with it")
    .requiredOption("--provider-url <url>", "base URL of the service, or the receiver's address")
    .option("--provider <name>", "countersign-service or merchant-receiver", "countersign-service")
    .option("--pacts <path...>", "pact files or folders (default: those of this version)")
    .option("--broker-url <url>", "a Pact broker, in the place of files")
    .option("--provider-version <version>", "what the broker is told was verified")
    .option("--provider-branch <name>", "its branch")
    .option("--publish", "publish the results to the broker")
    .option("--state-url <url>", "state-change URL (default: /sandbox/states of the service)")
    .option("--listen <address>", "address for deliveries that the service reaches", "127.0.0.1");
  withVerifyOptions(command)
    .addHelpText("after", pactsHelp)
    .action(async (options: PactsOptions) => {
      const { runVerifyPacts } = await import("../commands/verify-pacts.ts");
      if (!(await runVerifyPacts(options, surroundings))) surroundings.unmet();
    });
}
