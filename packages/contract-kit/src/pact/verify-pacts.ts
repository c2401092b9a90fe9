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
  readonly wanted?: (interaction: PactInteraction) => boolean;
  /** Milliseconds for everything. Default 300 000. */
  readonly limitMs?: number;
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

/** Milliseconds for one call of the core, the provider's state included. */
const CALL_MS = 15_000;

/**
 * Verifies a provider against pacts: read → refuse what would be green in silence → front → core, in a
 * separate process → a row for each interaction.
 *
 * @throws {PactMissingError} `CS_KIT_PACT_MISSING`
 * @throws {Error} A pact cannot be read.
 */
export async function verifyPacts({
  provider,
  pacts: paths = [],
  broker,
  wanted = () => true,
  limitMs = 300_000,
}: VerifyPactsOptions): Promise<PactResult> {
  const pacts = readPacts(paths)
    .filter((pact) => pact.provider === provider.name)
    .map((pact) => onlyWanted(pact, wanted));
  const interactions = pacts.flatMap((pact) => pact.interactions);
  const problems = broker === undefined ? pactFaults(pacts, provider) : [];
  // One line, not one for each interaction.
  if (problems.length === 0) problems.push(...(await silenceOf(provider)));
  if (problems.length > 0) return resultOf(provider, pacts, { problems });

  const front = await openFront(provider, interactions);
  const folder = mkdtempSync(join(tmpdir(), "countersign-pacts-"));
  try {
    const { text, ended, log } = await runChild(
      {
        provider: provider.name,
        providerBaseUrl: front.url,
        providerStatesSetupUrl: front.url + STATES_PATH,
        transports: [
          { protocol: "message", port: front.port, path: MESSAGES_PATH, scheme: "http" },
        ],
        timeout: CALL_MS,
        logLevel: "error",
        ...(broker === undefined ? { pactUrls: marked(pacts, folder) } : brokerOptions(broker)),
      },
      { limitMs },
    );
    const results = coreResults(text ?? "");
    if (results === undefined) problems.push(ended ?? `the core said: ${text ?? ""}`);
    return resultOf(provider, pacts, { problems, front, results, log });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await front.close();
  }
}

function onlyWanted(pact: Pact, wanted: (interaction: PactInteraction) => boolean): Pact {
  const { interactions = [], messages } = pact.document;
  const kept = pact.interactions.map(wanted);
  const document = {
    ...pact.document,
    interactions: interactions.filter((_one, place) => kept[place]),
    ...(messages && { messages: messages.filter((_, place) => kept[interactions.length + place]) }),
  };
  return { ...pact, document, interactions: pact.interactions.filter((_, place) => kept[place]) };
}

async function silenceOf({ send }: PactProvider): Promise<readonly string[]> {
  try {
    await send({ method: "GET", path: "", headers: {} });
    return [];
  } catch (error) {
    return [`the provider does not answer: ${messageOf(error)}`];
  }
}

/** Writes the pacts with a header in each call that names its interaction. */
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
  readonly problems: readonly string[];
  readonly front?: Front;
  readonly results?: readonly CoreResult[] | undefined;
  readonly log?: string;
}

function resultOf(
  { name }: PactProvider,
  pacts: readonly Pact[],
  { problems, front, results = [], log = "" }: Outcome,
): PactResult {
  const rowOf = (one: CoreResult, interaction?: PactInteraction): PactRow => {
    const { isOk, states } = one;
    const failed = isOk ? [] : states.flatMap((state) => front?.takeStateError(state) ?? []);
    const judged = interaction === undefined ? [] : (front?.problems.get(interaction) ?? []);
    return {
      ...one,
      provider: name,
      requirement: interaction?.requirement,
      isOk: isOk && judged.length === 0,
      problems: [...one.problems, ...failed, ...judged],
    };
  };
  const expected = pacts.flatMap(({ consumer, interactions }) =>
    interactions.map((interaction) => {
      const { description } = interaction;
      const found = results.find(
        (one) => one.description === description && one.consumer === consumer,
      );
      const states = interaction.states.map((state) => state.name);
      const missing = { description, consumer, states, isOk: false, ms: 0 };
      return rowOf(found ?? { ...missing, problems: ["it was not verified"] }, interaction);
    }),
  );
  // A broker's: their files are not here.
  const others = results
    .filter((one) => !expected.some(({ description }) => description === one.description))
    .map((one) => rowOf(one));
  const rows = [...expected, ...others];
  const none = rows.length === 0 ? ["no interaction was verified"] : [];
  const all = [...new Set([...problems, ...(front?.problems.get(undefined) ?? []), ...none])];
  const isOk = all.length === 0 && rows.every((row) => row.isOk);
  return { provider: name, rows, problems: all, isOk, log };
}

/**
 * Conditions that make a verification weaker than it seems, a line each. The
 * verifier itself is silent about all of it.
 */
function pactFaults(pacts: readonly Pact[], { name }: PactProvider): string[] {
  if (pacts.every(({ interactions }) => interactions.length === 0))
    return [`no pact has an interaction with ${name}`];
  // The verifier's results do not distinguish two interactions with one description.
  return pacts.flatMap(({ path, interactions }) =>
    [...Map.groupBy(interactions, ({ description }) => description)].flatMap(([text, those]) =>
      those.length === 1 ? [] : `${path}: ${those.length} interactions are described as "${text}"`,
    ),
  );
}

/** A Pact Broker or PactFlow: where pacts come from, and where results go. */
export interface PactBroker {
  readonly url: string;
  readonly token?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Version of the provider that is verified; needed to publish. */
  readonly providerVersion?: string | undefined;
  readonly providerBranch?: string | undefined;
  /** True to publish the results. Default false. */
  readonly publish?: boolean | undefined;
}

/**
 * A broker as the core takes it: with the pacts of main branches and of versions deployed or released.
 *
 * @throws {TypeError} `publish` without a version: the core would publish nothing and say nothing.
 */
function brokerOptions(broker: PactBroker): Partial<CoreOptions> {
  const { url, token, username, password, providerVersion, providerBranch, publish } = broker;
  if (publish === true && providerVersion === undefined)
    throw new TypeError("results are published of a provider's version, which is missing");
  return {
    pactBrokerUrl: url,
    pactBrokerToken: token,
    pactBrokerUsername: username,
    pactBrokerPassword: password,
    consumerVersionSelectors: [{ mainBranch: true }, { deployedOrReleased: true }],
    providerVersion,
    providerVersionBranch: providerBranch,
    // The message to the child leaves out undefined members.
    publishVerificationResult: publish === true || undefined,
  };
}
