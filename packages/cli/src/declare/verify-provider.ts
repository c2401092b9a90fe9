import type { Command } from "commander";
import type { ProviderOptions } from "../commands/verify-provider.ts";
import type { Surroundings } from "../terminal.ts";
import { verifyHelp, withVerifyOptions } from "../verify/verify-options.ts";
import { integer } from "../options.ts";

const help = `
Holds a service of any make to the interface: every answer by its schema, negative requests, generated
sequences, tokens, a second merchant, and the deliveries that reach this command, which listens for them.
Payments, customers and time are prepared by a state-change URL, POST { state, params, action }, as Pact's
verifier calls it; docs/states.md of @countersign/contract-kit lists the states. Without one, what needs a
state is not_applicable, with the reason. Creates refunds and subscriptions and sends invalid requests: run
it against a test environment.

--listen is for a provider on another machine: this command's address and port, and --callback-url what the
provider calls it by, where that differs. A target that is not this machine needs --i-own HOST, and gets no
more calls a second than half of what the profile allows.

Pacts are verified too where Pact is installed:
  npm install --save-dev --ignore-scripts @pact-foundation/pact@17.1.4
${verifyHelp}

Environment (each also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_TOKEN      an access token with every scope
  COUNTERSIGN_CLIENT_ID, COUNTERSIGN_CLIENT_SECRET      a client, whose tokens are checked too
  COUNTERSIGN_TOKEN_2, COUNTERSIGN_CLIENT_ID_2, COUNTERSIGN_CLIENT_SECRET_2    a second merchant's
  COUNTERSIGN_STATE_TOKEN    bearer token of the state-change URL (default: the first merchant's)

Examples:
  countersign verify provider --url http://127.0.0.1:4010
  countersign verify provider --url https://staging.example --i-own staging.example
  countersign verify provider --url https://staging.example --i-own staging.example \\
    --state-url https://staging.example/test/states --listen 0.0.0.0:8443 --callback-url https://ci.example/hooks --report junit=provider.xml
  countersign verify provider --url http://127.0.0.1:4010 --only provider/amounts --seed 7 --path 3:0:1`;

/** `countersign verify provider`. */
export function declareVerifyProvider(verify: Command, surroundings: Surroundings): void {
  const command = verify
    .command("provider")
    .description("a payment service, over HTTP")
    .requiredOption("--url <url>", "base URL of the service")
    .option("--state-url <url>", "state-change URL (default: /sandbox/states of --url)")
    .option("--listen <address>", "ADDRESS or ADDRESS:PORT that deliveries come to")
    .option("--callback-url <url>", "base URL by which the provider reaches it")
    .option("--i-own <host>", "the host of --url, which is another machine and your own")
    .option("--slow", "wait for the profile's own deadlines too")
    .option("--runs <number>", "scenarios of a generated check", integer(1, 1_000_000), 50)
    .option("--path <path>", "where to begin, of a failure that is to be seen again; with --only")
    .option(
      "--timeout <seconds>",
      "the run ends after so long, with a report",
      integer(1, 1_000_000),
      900,
    );
  withVerifyOptions(command)
    .addHelpText("after", help)
    .action(async (options: ProviderOptions) => {
      const { runVerifyProvider } = await import("../commands/verify-provider.ts");
      if (!(await runVerifyProvider(options, surroundings))) surroundings.unmet();
    });
}
