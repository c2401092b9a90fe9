import { hostReceiver, httpSend, probeProvider, requirements } from "@countersign/contract-kit";
import {
  PactMissingError,
  type PactResult,
  readPacts,
  SERVICE,
  standardPacts,
  verifyPacts as verifyInteractions,
} from "@countersign/contract-kit/pact";
import { reportOfPacts, type SkippedRow } from "@countersign/contract-kit/report";
import type { Profile } from "@countersign/schemas/profiles";
import { define } from "../command.ts";
import { requiredFrom, secretFrom } from "../environment.ts";
import { badArgument, Failure, messageOf } from "../failure.ts";
import * as option from "../options.ts";
import { listenFailure } from "../port.ts";
import { loadProfile } from "../provider.ts";
import type { Surroundings } from "../terminal.ts";
import { targetUrl } from "../verify/arguments.ts";
import { statesOf, unverifiable } from "./verify-provider.ts";
import { verify } from "../verify/verify.ts";
import { verifyHelp, verifyOptions } from "../verify/verify-options.ts";

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
  stateUrl: option.text("<url>", "state-change URL (default: /sandbox/states of the service)"),
  listen: option.text("<address>", "address to receive webhooks on", "127.0.0.1"),
  profile: option.profile,
  ...verifyOptions,
};
type Options = option.ValuesOf<typeof options>;

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
        listed: { name: "interactions", rows: () => rows.map(listedRow) },
        open: async () => openService(given, await loadProfile(given.profile), surroundings),
        judge: async ({ target, url }, { signal, again }) => {
          const { profile } = target;
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

/** A service as the target that pacts are verified against. */
async function openService(
  { providerUrl, stateUrl, listen }: Options,
  profile: Profile,
  { env }: Surroundings,
) {
  const { href } = targetUrl(providerUrl, "--provider-url");
  const token = await requiredFrom(env, "COUNTERSIGN_TOKEN", "set it or COUNTERSIGN_TOKEN_FILE");
  const stateToken = (await secretFrom(env, "COUNTERSIGN_STATE_TOKEN")) ?? token;
  const url = href.replace(/\/+$/, "");
  const at = targetUrl(stateUrl ?? statesOf(new URL(href)), "--state-url").href;
  const [calls, changes] = [httpSend(url), httpSend(at)];
  const closing = [calls.close, changes.close];
  const close = (): void => {
    for (const end of closing) end();
  };
  try {
    const receiver = await hostReceiver({ host: listen }).catch((cause: unknown) => {
      throw listenFailure(cause, `--listen ${listen}`);
    });
    closing.push(receiver.close);
    const target = {
      role: "provider",
      url,
      send: calls.send,
      token: () => Promise.resolve(token),
      profile,
      states: { url: at, send: changes.send, token: () => Promise.resolve(stateToken) },
      receiver,
    } as const;
    // Every pact begins with a state.
    await probeProvider(target, { isStateUrlGiven: true });
    return { target, url: href, secrets: [token, stateToken], close };
  } catch (cause) {
    close();
    throw unverifiable(cause, env);
  }
}
