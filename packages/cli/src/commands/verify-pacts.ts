import type { Command } from "commander";
import { requirements } from "@countersign/contract-kit";
import {
  PactMissingError,
  readPacts,
  standardPacts,
  verifyPacts,
  type Pact,
  type PactInteraction,
  type PactProvider,
  type PactResult,
} from "@countersign/contract-kit/pact";
import { redactor, reportOfPacts, type SkippedRow } from "@countersign/contract-kit/report";
import { Failure } from "../failure.ts";
import { loadProfile } from "../profile.ts";
import { choice } from "../options.ts";
import { printable, printableJson } from "../printable.ts";
import type { Surroundings } from "../terminal.ts";
import {
  optionWords,
  queryValues,
  requireKnownIds,
  shellWords,
  targetUrl,
} from "../verify/arguments.ts";
import { openReceiver, openService } from "../verify/open-pact-provider.ts";
import { telling } from "../verify/tell-report.ts";
import { verifyHelp, withVerifyOptions, type VerifyOptions } from "../verify/verify-options.ts";

const help = `
Verifies a service or a receiver against its consumers' pacts, one line per interaction. The service's state-change URL prepares the
states; a receiver needs only its secret.

Pact is not included: npm install --save-dev --ignore-scripts @pact-foundation/pact@17.1.4
${verifyHelp}

Environment (also as NAME_FILE, the path of a file with the value):
  COUNTERSIGN_TOKEN            access token with every scope, for a service
  COUNTERSIGN_STATE_TOKEN      bearer token of the state-change URL (default: COUNTERSIGN_TOKEN)
  COUNTERSIGN_SECRET           signing secret, for a receiver

Examples:
  countersign verify pacts --provider-url http://127.0.0.1:4010
  countersign verify pacts --provider-url http://localhost:3000/webhooks --provider merchant-receiver
  countersign verify pacts --provider-url https://staging.example --state-url https://staging.example/test/states`;

/** The options of the command line. */
interface PactsOptions extends VerifyOptions {
  readonly providerUrl: string;
  readonly provider: string;
  readonly pacts?: readonly string[];
  readonly stateUrl?: string;
  readonly listen: string;
}

/** `countersign verify pacts`. */
export function declareVerifyPacts(command: Command, surroundings: Surroundings): void {
  command
    .requiredOption("--provider-url <url>", "base URL of the service, or the receiver's URL")
    .addOption(
      choice("--provider <name>", "side to test", [
        "countersign-service",
        "merchant-receiver",
      ]).default("countersign-service"),
    )
    .option("--pacts <path...>", "pact files or folders (default: those of this version)")
    .option("--state-url <url>", "state-change URL (default: /sandbox/states of the service)")
    .option("--listen <address>", "address to receive webhooks on", "127.0.0.1");
  withVerifyOptions(command)
    .addHelpText("after", help)
    .action(async (options: PactsOptions) => {
      if (!(await runVerifyPacts(options, surroundings))) surroundings.unmet();
    });
}

/**
 * Verifies the pacts and reports a line for each interaction.
 *
 * @returns True if nothing new fails at a level of `--fail-on`.
 * @throws {Failure} Nothing could be verified; reports are written anyway.
 */
async function runVerifyPacts(options: PactsOptions, surroundings: Surroundings): Promise<boolean> {
  const paths = options.pacts ?? [standardPacts()];
  const rows = read(paths)
    .filter(({ provider }) => provider === options.provider)
    .flatMap(({ consumer, provider, interactions }) =>
      interactions.map((one) => ({ ...one, consumer, provider })),
    );
  const known = rows.flatMap(({ requirement }) => requirement ?? []);
  requireKnownIds(options, known);
  if (options.list === true) return list(rows, options, surroundings);
  const { only, skip = {}, failOn, seed } = options;
  const wanted = ({ requirement = "" }: PactInteraction): boolean =>
    (only === undefined || only.includes(requirement)) && !Object.hasOwn(skip, requirement);

  const tells = await telling(options, surroundings);
  const startedAt = Date.now();
  const profile = await loadProfile(options.profile);
  const url = targetUrl(options.providerUrl, "--provider-url");
  const isReceiver = options.provider === "merchant-receiver";
  const open = isReceiver ? openReceiver : openService;
  const { provider, secrets, close } = await open({ ...options, url, profile }, surroundings);
  try {
    const verified = verifyPacts({ provider, pacts: paths, wanted });
    const result = await Promise.race([verified, interrupted(provider, surroundings)]);
    const role = isReceiver ? "receiver" : "provider";
    const about = { role, url: url.href, profile, seed, failOn, startedAt } as const;
    const skipped = rows.flatMap((row) => {
      const reason = skip[row.requirement ?? ""];
      return reason === undefined ? [] : [{ row, reason }];
    });
    const report = reportOfPacts(result, { about, skipped, replay: (row) => again(row, options) });
    return await tells.report(redactor([...secrets, ...queryValues(url.href)])(report));
  } catch (cause) {
    if (!(cause instanceof PactMissingError)) throw cause;
    throw new Failure("CS_CLI_PACT_MISSING", cause.message, { cause });
  } finally {
    close();
  }
}

/** The report of an interrupted run. It has no results, since Pact reports them only at its end. */
function interrupted(
  { name }: PactProvider,
  { interruption }: Pick<Surroundings, "interruption">,
): Promise<PactResult> {
  const problems = ["the run was interrupted: nothing was verified"];
  const signal = interruption();
  return new Promise((resolve) => {
    const stop = (): void => resolve({ provider: name, rows: [], problems, isOk: false, log: "" });
    signal.addEventListener("abort", stop, { once: true });
  });
}

function again({ requirement }: SkippedRow, options: PactsOptions): string {
  const { providerUrl, provider, pacts, profile, stateUrl } = options;
  const words = optionWords({
    "--provider-url": providerUrl,
    "--provider": provider,
    "--state-url": stateUrl,
    "--profile": profile === "standard" ? undefined : profile,
    "--pacts": pacts,
    "--only": requirement,
  });
  return shellWords(["countersign", "verify", "pacts", ...words]);
}

function list(
  rows: readonly SkippedRow[],
  { json }: PactsOptions,
  { terminal }: Pick<Surroundings, "terminal">,
): true {
  const levelById = new Map(requirements().map(({ id, level }) => [id, level]));
  const listed = rows.map(({ requirement, consumer, description }) => {
    return { requirement, level: levelById.get(requirement ?? ""), consumer, description };
  });
  if (json === true) terminal.out(printableJson({ interactions: listed }));
  else
    for (const { requirement = "-", level = "-", consumer, description } of listed)
      terminal.out(
        printable(`${requirement.padEnd(26)}  ${level.padEnd(23)}  ${consumer}  ${description}`),
      );
  return true;
}

function read(paths: readonly string[]): readonly Pact[] {
  try {
    return readPacts(paths);
  } catch (cause) {
    throw unusable(`a pact cannot be read: ${cause instanceof Error ? cause.message : ""}`, cause);
  }
}

function unusable(message: string, cause?: unknown): Failure {
  return new Failure("CS_CLI_ARGUMENT_UNUSABLE", message, { cause });
}
