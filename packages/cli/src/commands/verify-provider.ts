import type { Command } from "commander";
import { providerChecks } from "@countersign/contract-kit";
import { Failure } from "../failure.ts";
import { loadProfile } from "../profile.ts";
import { integer } from "../options.ts";
import type { Surroundings } from "../terminal.ts";
import { optionWords } from "../verify/arguments.ts";
import { openProviderTarget } from "../verify/open-provider-target.ts";
import { verifyHelp, withVerifyOptions, type VerifyOptions } from "../verify/verify-options.ts";
import { verifyTarget } from "../verify/verify-target.ts";

const help = `
Tests every answer against its schema, and sends invalid requests, generated sequences and expired tokens. It listens for webhooks
and compares each one with its resource and the call that caused it. Creates refunds and subscriptions and sends invalid requests:
run it against a test environment.

A state-change URL prepares payments, customers and time: POST { state, params, action }, as Pact's verifier calls it;
docs/guides/states.md lists the states. Without one, requirements that need a state are not applicable.

A target on another machine needs --i-own HOST and gets at most half of the profile's calls per second.

Consumers' pacts are verified by \`countersign verify pacts\`. A service with another interface that sends webhooks is tested by
\`countersign verify sender\`.
${verifyHelp}

Environment (also as NAME_FILE, the path of a file with the value):
  COUNTERSIGN_TOKEN            access token with every scope
  COUNTERSIGN_CLIENT_ID        OAuth client, to test its tokens
  COUNTERSIGN_CLIENT_SECRET    secret of the client
  COUNTERSIGN_TOKEN_2          token of a second merchant, to test isolation
  COUNTERSIGN_CLIENT_ID_2      client of the second merchant
  COUNTERSIGN_CLIENT_SECRET_2  secret of that client
  COUNTERSIGN_STATE_TOKEN      bearer token of the state-change URL (default: COUNTERSIGN_TOKEN)

Examples:
  countersign verify provider --url http://127.0.0.1:4010
  countersign verify provider --url https://staging.example --i-own staging.example
  countersign verify provider --url https://staging.example --i-own staging.example --state-url https://staging.example/test/states --listen 0.0.0.0:8443 --callback-url https://ci.example/hooks --report junit=provider.xml
  countersign verify provider --url http://127.0.0.1:4010 --only provider/amounts --seed 7 --path 3:0:1`;

/** The options of the command line. */
interface ProviderOptions extends VerifyOptions {
  readonly url: string;
  readonly stateUrl?: string;
  readonly listen?: string;
  readonly callbackUrl?: string;
  readonly iOwn?: string;
  readonly slow?: boolean;
  readonly runs: number;
  readonly path?: string;
  /** Seconds. */
  readonly timeout: number;
}

/** `countersign verify provider`. */
export function declareVerifyProvider(command: Command, surroundings: Surroundings): void {
  command
    .requiredOption("--url <url>", "base URL of the service")
    .option("--state-url <url>", "state-change URL (default: /sandbox/states of --url)")
    .option("--listen <address>", "ADDRESS or ADDRESS:PORT to receive webhooks on")
    .option("--callback-url <url>", "base URL by which the provider reaches --listen")
    .option("--i-own <host>", "confirm that you own this remote host")
    .option("--slow", "also run checks that wait for the profile's deadlines")
    .option("--runs <number>", "scenarios of a generated check", integer(1, 1_000_000), 50)
    .option("--path <path>", "replay a generated failure from this path; with --only")
    .option("--timeout <seconds>", "end the run after this time", integer(1, 1_000_000), 900);
  withVerifyOptions(command)
    .addHelpText("after", help)
    .action(async (options: ProviderOptions) => {
      if (!(await runVerifyProvider(options, surroundings))) surroundings.unmet();
    });
}

/**
 * Runs every check that the target supports, and writes reports.
 *
 * @returns True if nothing new fails at a level of `--fail-on`.
 * @throws {Failure} Nothing could be verified, or an argument is malformed.
 */
async function runVerifyProvider(
  options: ProviderOptions,
  surroundings: Surroundings,
): Promise<boolean> {
  refuseContradictions(options);
  const profile = await loadProfile(options.profile);
  return verifyTarget(
    {
      role: "provider",
      checks: providerChecks,
      open: () => openProviderTarget({ ...options, profile }, surroundings),
      command: commandOf(options),
      ...(options.path !== undefined && { path: options.path }),
      runs: options.runs,
    },
    options,
    { ...surroundings, interruption: () => endOf(options, surroundings) },
  );
}

function refuseContradictions({ path, only }: ProviderOptions): void {
  if (path !== undefined && only?.length !== 1)
    throw unusable("--path begins within one check: name it by --only");
  if (path !== undefined && !/^\d+(?::\d+)*$/.test(path))
    throw unusable("--path is numbers with colons between, as a failure prints it");
}

/** The person's, or the time that the run has. */
function endOf({ timeout }: ProviderOptions, { interruption }: Surroundings): AbortSignal {
  return AbortSignal.any([interruption(), AbortSignal.timeout(timeout * 1000)]);
}

function commandOf(options: ProviderOptions): readonly string[] {
  const { url, stateUrl, listen, callbackUrl, iOwn, slow, runs } = options;
  const words = optionWords({
    "--url": url,
    "--state-url": stateUrl,
    "--listen": listen,
    "--callback-url": callbackUrl,
    "--i-own": iOwn,
    "--runs": runs === 50 ? undefined : String(runs),
    "--slow": slow,
  });
  return ["countersign", "verify", "provider", ...words];
}

function unusable(message: string): Failure {
  return new Failure("CS_CLI_ARGUMENT_UNUSABLE", message);
}
