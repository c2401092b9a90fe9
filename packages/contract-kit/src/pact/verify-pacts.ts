import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../values.ts";
import { type CoreResult, coreResults, runChild } from "./run-child.ts";
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
  readonly pacts: readonly string[];
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
  pacts: paths,
  wanted = () => true,
  limitMs = 300_000,
}: VerifyPactsOptions): Promise<PactResult> {
  const pacts = readPacts(paths)
    .filter((pact) => pact.provider === provider.name)
    .map((pact) => onlyWanted(pact, wanted));
  const interactions = pacts.flatMap((pact) => pact.interactions);
  const problems = pactFaults(pacts, provider);
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
        pactUrls: marked(pacts, folder),
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
  const rows = pacts.flatMap(({ consumer, interactions }) =>
    interactions.map((interaction): PactRow => {
      const { description, requirement } = interaction;
      const states = interaction.states.map((state) => state.name);
      const result = results.find(
        (one) => one.description === description && one.consumer === consumer,
      ) ?? { description, consumer, states, isOk: false, ms: 0, problems: ["it was not verified"] };
      const failed = result.isOk
        ? []
        : states.flatMap((state) => front?.takeStateError(state) ?? []);
      const judged = front?.problems.get(interaction) ?? [];
      return {
        ...result,
        provider: name,
        requirement,
        isOk: result.isOk && judged.length === 0,
        problems: [...result.problems, ...failed, ...judged],
      };
    }),
  );
  const none = rows.length === 0 ? ["no interaction was verified"] : [];
  const all = [...new Set([...problems, ...none])];
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
