import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../values.ts";
import { type CoreOptions, type CoreResult, coreResults, runChild } from "./run-child.ts";
import { INTERACTION_HEADER, MESSAGES_PATH, openFront, STATES_PATH, type Front } from "./front.ts";
import {
  readPacts,
  type InteractionDocument,
  type Pact,
  type PactInteraction,
  type PactProvider,
} from "./pact-file.ts";

export interface VerifyPactsOptions {
  readonly provider: PactProvider;
  /** Pact files, or folders of them. */
  readonly pacts?: readonly string[];
  /** In the place of `pacts`: the pacts that a broker has of the provider. */
  readonly broker?: PactBroker;
  /** Selects the interactions to verify. Default: all. Others have no row. */
  readonly wanted?: (interaction: PactInteraction, pact: Pact) => boolean;
  /** True if states may have handlers that no pact uses: pacts of one consumer of several. Default false. */
  readonly mayLeaveStates?: boolean;
  /** Milliseconds for one call of the core, the provider's state included. Default 15 000. */
  readonly timeoutMs?: number;
  /** Milliseconds for everything. Default 300 000. */
  readonly limitMs?: number;
  /** The core's environment. Default: empty, so that none of the caller's changes what is verified. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The result of one interaction. */
export interface PactRow {
  readonly consumer: string;
  readonly provider: string;
  readonly description: string;
  readonly states: readonly string[];
  readonly requirement: string | undefined;
  readonly isOk: boolean;
  readonly ms: number;
  /** Problems of the core, then of the provider's judges; empty if it is ok. */
  readonly problems: readonly string[];
}

export interface PactResult {
  readonly provider: string;
  /** One for each interaction, in the order of the pacts. */
  readonly rows: readonly PactRow[];
  /** Reasons why the run is invalid: it is not a success even if every row is ok. */
  readonly problems: readonly string[];
  readonly isOk: boolean;
  /** The core's output. */
  readonly log: string;
}

/**
 * Verifies a provider against pacts: read → refuse what would be green in silence → front → core, in a
 * separate process → a row for each interaction.
 *
 * @throws {PactMissingError} `CS_KIT_PACT_MISSING`
 * @throws {Error} A pact cannot be read.
 */
export async function verifyPacts(options: VerifyPactsOptions): Promise<PactResult> {
  const { provider, broker, timeoutMs = 15_000, limitMs = 300_000 } = options;
  // If interactions are left out, so are states.
  const { mayLeaveStates = options.wanted !== undefined } = options;
  const all = readPacts(options.pacts ?? []);
  const pacts = all
    .filter((pact) => pact.provider === provider.name)
    .map((pact) => onlyWanted(pact, options.wanted));
  const faults = broker === undefined ? pactFaults(pacts, provider, { mayLeaveStates }) : [];
  if (faults.length > 0) return resultOf(provider, { pacts, problems: faults });

  const silence = await silenceOf(provider);
  if (silence !== undefined) return resultOf(provider, { pacts, problems: [silence] });

  const front = await openFront(
    provider,
    pacts.flatMap(({ interactions }) => interactions),
  );
  const folder = mkdtempSync(join(tmpdir(), "countersign-pacts-"));
  try {
    const run = await runChild(
      {
        provider: provider.name,
        providerBaseUrl: front.url,
        providerStatesSetupUrl: front.url + STATES_PATH,
        transports: [
          { protocol: "message", port: front.port, path: MESSAGES_PATH, scheme: "http" },
        ],
        timeout: timeoutMs,
        logLevel: "error",
        ...(broker === undefined ? { pactUrls: marked(pacts, folder) } : brokerOptions(broker)),
      },
      { limitMs, env: options.env },
    );
    const results = run.text === undefined ? undefined : coreResults(run.text);
    const ended = run.ended ?? (results === undefined ? `the core said: ${run.text ?? ""}` : []);
    const problems = [ended].flat();
    return resultOf(provider, { pacts, problems, front, results: results ?? [], log: run.log });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await front.close();
  }
}

function onlyWanted(pact: Pact, wanted: VerifyPactsOptions["wanted"]): Pact {
  if (wanted === undefined) return pact;
  const { interactions = [], messages = [] } = pact.document;
  const kept = pact.interactions.map((one) => wanted(one, pact));
  return {
    ...pact,
    interactions: pact.interactions.filter((_one, place) => kept[place]),
    document: {
      ...pact.document,
      interactions: interactions.filter((_one, place) => kept[place]),
      ...(pact.document.messages && {
        messages: messages.filter((_one, place) => kept[interactions.length + place]),
      }),
    },
  };
}

/** The reason if the provider cannot be verified at all: one line, not one for each interaction. */
async function silenceOf({ send }: PactProvider): Promise<string | undefined> {
  try {
    await send?.({ method: "GET", path: "", headers: {} });
    return undefined;
  } catch (error) {
    return `the provider does not answer: ${messageOf(error)}`;
  }
}

function marked(pacts: readonly Pact[], folder: string): readonly string[] {
  let number = 0;
  return pacts.map(({ document }, index) => {
    const interactions = document.interactions?.map((one): InteractionDocument => {
      const mark = String(number++);
      if (one.request === undefined) return one;
      const headers = { ...one.request.headers, [INTERACTION_HEADER]: mark };
      return { ...one, request: { ...one.request, headers } };
    });
    number += document.messages?.length ?? 0;
    const path = join(folder, `${index}.json`);
    writeFileSync(path, JSON.stringify({ ...document, ...(interactions && { interactions }) }));
    return path;
  });
}

interface Outcome {
  readonly pacts: readonly Pact[];
  readonly problems: readonly string[];
  readonly front?: Front;
  readonly results?: readonly CoreResult[];
  readonly log?: string;
}

function resultOf(provider: PactProvider, outcome: Outcome): PactResult {
  const { pacts, front, results = [], log = "" } = outcome;
  const expected = pacts.flatMap(({ consumer, interactions }) =>
    interactions.map((interaction): PactRow => {
      const { description, requirement } = interaction;
      const states = interaction.states.map(({ name }) => name);
      const named = { consumer, provider: provider.name, description, states, requirement };
      const found = results.find(
        (one) => one.description === description && one.consumer === consumer,
      );
      if (found === undefined)
        return { ...named, isOk: false, ms: 0, problems: ["it was not verified"] };
      const judged = front?.problemsOf(interaction) ?? [];
      const problems = [...found.problems, ...stateErrors(found, front), ...judged];
      return { ...named, isOk: found.isOk && judged.length === 0, ms: found.ms, problems };
    }),
  );
  // A broker's: their files are not here.
  const others = results
    .filter((one) => !expected.some(({ description }) => description === one.description))
    .map((one): PactRow => {
      const { consumer, description, states, isOk, ms } = one;
      const problems = [...one.problems, ...stateErrors(one, front)];
      const named = { consumer, provider: provider.name, description, states };
      return { ...named, requirement: undefined, isOk, ms, problems };
    });
  const rows = [...expected, ...others];
  const none = rows.length === 0 ? ["no interaction was verified"] : [];
  const problems = [...new Set([...outcome.problems, ...(front?.problems ?? []), ...none])];
  const isOk = problems.length === 0 && rows.every((row) => row.isOk);
  return { provider: provider.name, rows, problems, isOk, log };
}

function stateErrors({ isOk, states }: CoreResult, front: Front | undefined): readonly string[] {
  return isOk ? [] : states.flatMap((state) => front?.takeStateError(state) ?? []);
}

/**
 * Conditions that make a verification weaker than it seems, a line each. The
 * verifier itself is silent about all of it.
 */
function pactFaults(
  pacts: readonly Pact[],
  provider: PactProvider,
  { mayLeaveStates }: { readonly mayLeaveStates: boolean },
): readonly string[] {
  const interactions = pacts.flatMap((pact) => pact.interactions);
  if (interactions.length === 0) return [`no pact has an interaction with ${provider.name}`];
  const named = new Set(interactions.flatMap(({ states }) => states.map(({ name }) => name)));
  const handled = provider.states ?? [...named];
  const has = (kind: "http" | "message"): boolean => interactions.some((one) => one.kind === kind);
  return [
    ...pacts.flatMap(repeatedIn),
    ...[...named]
      .filter((name) => !handled.includes(name))
      .map((name) => `the state "${name}" has no handler`),
    ...handled
      .filter((name) => !mayLeaveStates && !named.has(name))
      .map((name) => `no pact uses the state "${name}"`),
    ...(has("message") && provider.message === undefined ? ["nothing gives the messages"] : []),
    ...(has("http") && provider.send === undefined ? ["nothing carries the calls"] : []),
  ];
}

/** The verifier's results do not distinguish two interactions with one description. */
function repeatedIn({ path, interactions }: Pact): readonly string[] {
  const seen = Map.groupBy(interactions, ({ description }) => description);
  return [...seen]
    .filter(([, those]) => those.length > 1)
    .map(([text, those]) => `${path}: ${those.length} interactions are described as "${text}"`);
}

/** A Pact Broker or PactFlow: where pacts come from, and where results go. */
export interface PactBroker {
  readonly url: string;
  readonly token?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Versions of consumers, in the broker's form. Default: of main branches, deployed or released. */
  readonly selectors?: readonly object[] | undefined;
  /** True if pacts that were never verified may fail without failing the run. Default false. */
  readonly enablePending?: boolean | undefined;
  /** Version of the provider that is verified; needed to publish. */
  readonly providerVersion?: string | undefined;
  readonly providerBranch?: string | undefined;
  /** True to publish the results. Default false. */
  readonly publish?: boolean | undefined;
  /** URL of the build, shown with published results. */
  readonly buildUrl?: string | undefined;
}

/**
 * A broker as the core takes it.
 *
 * @throws {TypeError} `publish` without a version: the core would publish nothing and say nothing.
 */
export function brokerOptions(broker: PactBroker): Partial<CoreOptions> {
  const { url, token, username, password, providerVersion, providerBranch } = broker;
  const { selectors = [{ mainBranch: true }, { deployedOrReleased: true }] } = broker;
  const { enablePending, publish = false, buildUrl } = broker;
  if (publish && providerVersion === undefined)
    throw new TypeError("results are published of a provider's version, which is missing");
  return {
    pactBrokerUrl: url,
    pactBrokerToken: token,
    pactBrokerUsername: username,
    pactBrokerPassword: password,
    consumerVersionSelectors: selectors,
    enablePending,
    providerVersion,
    providerVersionBranch: providerBranch,
    buildUrl,
    // As a message to the child, what is undefined is left out.
    publishVerificationResult: publish || undefined,
  };
}
