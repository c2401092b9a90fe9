import { requirements } from "@countersign/contract-kit";
import {
  PactMissingError,
  type PactResult,
  readPacts,
  SERVICE,
  standardPacts,
  verifyPacts as verifyInteractions,
} from "@countersign/contract-kit/pact";
import { reportOfPacts, type SkippedRow } from "@countersign/contract-kit/report";
import { define } from "../command.ts";
import { badArgument, Failure, messageOf } from "../failure.ts";
import * as option from "../options.ts";
import { loadProfile } from "../provider.ts";
import { targetUrl } from "../verify/arguments.ts";
import { verify } from "../verify/verify.ts";
import { verifyHelp, verifyOptions } from "../verify/verify-options.ts";
import { openService, serviceOptions } from "./verify-provider.ts";

const help = `
Verifies a service against its consumers' pacts, one line per interaction. The service's state-change URL prepares the states.

Pact is not included: npm install --save-dev --ignore-scripts @pact-foundation/pact@17.1.4
${verifyHelp}

Environment (also as NAME_FILE, the path of a file with the value):
  COUNTERSIGN_TOKEN            access token with every scope
  COUNTERSIGN_STATE_TOKEN      bearer token of the state-change URL (default: COUNTERSIGN_TOKEN)

Examples:
  countersign verify pacts --provider-url http://127.0.0.1:4010
  countersign verify pacts --provider-url https://staging.example --state-url https://staging.example/test/states`;

const options = {
  providerUrl: option.required(option.text("<url>", "base URL of the service")),
  pacts: option.words("<path...>", "pact files or folders (default: those of this version)"),
  ...serviceOptions,
  ...verifyOptions,
};

/** `countersign verify pacts`: a line for each interaction. */
export const verifyPacts = define({
  options,
  help,
  run: async (given, surroundings, { command }) => {
    const { pacts = [standardPacts()], only, skip = {}, failOn, seed } = given;
    const rows = interactionsIn(pacts);
    const wanted = ({ requirement = "" }: Pick<SkippedRow, "requirement">): boolean =>
      (only === undefined || only.includes(requirement)) && !Object.hasOwn(skip, requirement);
    const startedAt = Date.now();
    return verify(
      {
        command,
        ids: rows.flatMap(({ requirement }) => requirement ?? []),
        listed: { interactions: rows.map(listedRow) },
        open: async () => {
          const url = targetUrl(given.providerUrl, "--provider-url");
          const profile = await loadProfile(given.profile);
          return openService({ ...given, url, isForPacts: true }, profile, surroundings);
        },
        judge: async ({ target }, { signal, again }) => {
          const { profile, url } = target;
          const verified = verifyInteractions({ target, pacts, wanted });
          const result = await Promise.race([verified, interrupted(signal)]).catch(
            (cause: unknown) => {
              if (!(cause instanceof PactMissingError)) throw cause;
              throw new Failure("CS_CLI_PACT_MISSING", cause.message, cause);
            },
          );
          const about = { role: "provider", url, profile, seed, failOn, startedAt } as const;
          const skipped = rows.flatMap((row) => {
            const reason = skip[row.requirement ?? ""];
            return reason === undefined ? [] : [{ row, reason }];
          });
          const replay = ({ requirement }: SkippedRow): string =>
            again(...(requirement === undefined ? [] : ["--only", requirement]));
          return reportOfPacts(result, { about, skipped, replay });
        },
      },
      given,
      surroundings,
    );
  },
});

function interactionsIn(paths: readonly string[]): readonly SkippedRow[] {
  try {
    return readPacts(paths)
      .filter(({ provider }) => provider === SERVICE)
      .flatMap(({ consumer, provider, interactions }) =>
        interactions.map((one) => ({ ...one, consumer, provider })),
      );
  } catch (cause) {
    throw badArgument(`a pact cannot be read: ${messageOf(cause)}`, cause);
  }
}

const listedRow = ({ requirement, consumer, description }: SkippedRow) => ({
  requirement: requirement ?? "-",
  level: requirements().find(({ id }) => id === requirement)?.level,
  consumer,
  description,
});

/** The report of an interrupted run. It has no results, since Pact reports them only at its end. */
function interrupted(signal: AbortSignal): Promise<PactResult> {
  const problems = ["the run was interrupted: nothing was verified"];
  return new Promise((resolve) => {
    const stop = (): void => resolve({ provider: SERVICE, rows: [], problems, isOk: false });
    signal.addEventListener("abort", stop, { once: true });
  });
}
