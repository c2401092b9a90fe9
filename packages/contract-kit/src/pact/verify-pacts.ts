import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJson } from "../values.ts";
import { runChild } from "./run-child.ts";
import type { ProviderTarget } from "../target.ts";
import { MESSAGES_PATH, openFront, STATES_PATH } from "./front.ts";
import { onlyWanted, readPacts, SERVICE, type Pact, type PactInteraction } from "./pact-file.ts";

export interface VerifyPactsOptions {
  /** The service; its states prepare the interactions, and its receiver captures their messages. */
  readonly target: ProviderTarget;
  /** Its name in the pacts; pacts of other providers are left out. Default: `SERVICE`. */
  readonly provider?: string;
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
  readonly requirement: string | undefined;
  readonly isOk: boolean;
  readonly ms: number;
  /** Problems of the core, then of its states and its message; empty if it is ok. */
  readonly problems: readonly string[];
}

export interface PactResult {
  readonly provider: string;
  /** One for each interaction, in the order of the pacts. */
  readonly rows: readonly PactRow[];
  /** Reasons why the run is invalid: it is not a success even if every row is ok. */
  readonly problems: readonly string[];
  readonly isOk: boolean;
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
  target,
  provider = SERVICE,
  pacts: paths,
  wanted = () => true,
  limitMs = 300_000,
}: VerifyPactsOptions): Promise<PactResult> {
  const pacts = readPacts(paths)
    .filter((pact) => pact.provider === provider)
    .map((pact) => onlyWanted(pact, wanted));
  const problems = pactFaults(pacts, provider);
  if (problems.length > 0) return resultOf(provider, pacts, { problems });

  const front = await openFront(target);
  const folder = mkdtempSync(join(tmpdir(), "countersign-pacts-"));
  try {
    // With their wanted interactions only.
    const pactUrls = pacts.map(({ document }, index) => {
      const path = join(folder, `${index}.json`);
      writeFileSync(path, JSON.stringify(document));
      return path;
    });
    const { port } = front;
    const options = {
      provider,
      providerBaseUrl: target.url,
      providerStatesSetupUrl: front.url + STATES_PATH,
      transports: [{ protocol: "message", port, path: MESSAGES_PATH, scheme: "http" }],
      timeout: CALL_MS,
      logLevel: "error",
      pactUrls,
    } as const;
    const { text, ended } = await runChild(options, { limitMs });
    const results = coreResults(text ?? "");
    if (results === undefined) problems.push(ended ?? `the core said: ${text ?? ""}`);
    return resultOf(provider, pacts, { problems, own: front.problems, results });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await front.close();
  }
}

interface Outcome {
  readonly problems: readonly string[];
  /** Problems of states and messages by their names. */
  readonly own?: ReadonlyMap<string, readonly string[]>;
  readonly results?: readonly CoreResult[] | undefined;
}

function resultOf(
  provider: string,
  pacts: readonly Pact[],
  { problems, own = new Map(), results = [] }: Outcome,
): PactResult {
  const rows = pacts.flatMap(({ consumer, interactions }) =>
    interactions.map(({ description, requirement, states }): PactRow => {
      const result = results.find(
        (one) => one.description === description && one.consumer === consumer,
      );
      const isOk = result?.result === "OK";
      const more = isOk ? [] : [...states, description].flatMap((key) => own.get(key) ?? []);
      const found = result === undefined ? ["it was not verified"] : problemsOf(result);
      return {
        consumer,
        provider,
        description,
        requirement,
        isOk,
        ms: millisecondsOf(result?.duration ?? ""),
        problems: [...new Set([...found, ...more])],
      };
    }),
  );
  const none = rows.length === 0 ? ["no interaction was verified"] : [];
  const all = [...new Set([...problems, ...none])];
  return {
    provider,
    rows,
    problems: all,
    isOk: all.length === 0 && rows.every(({ isOk }) => isOk),
  };
}

/** One interaction as Pact's native core reports it; any member may be missing. */
interface CoreResult {
  readonly description?: string;
  readonly consumer?: string;
  readonly result?: string;
  /** `205ms`, `1s 86ms`, `1.086s` or `2m 7s 57ms`. */
  readonly duration?: string;
  readonly mismatch?: {
    readonly message?: string;
    readonly mismatches?: readonly Readonly<
      Partial<Record<"type" | "path" | "key" | "mismatch", string>>
    >[];
  };
}

/** Results of the core's JSON; `undefined` if the text is not JSON of results. */
function coreResults(text: string): readonly CoreResult[] | undefined {
  const document = parseJson(text);
  // The core's own form.
  return (document as { readonly interactionResults?: readonly CoreResult[] } | undefined)
    ?.interactionResults;
}

/** The faults that the core found in an interaction, one line each. */
function problemsOf({ mismatch }: CoreResult): readonly string[] {
  if (mismatch === undefined) return [];
  const { mismatches, message = "it failed" } = mismatch;
  return (
    mismatches?.map(({ type, path, key, mismatch: reason }) =>
      [type, path ?? key, reason].filter(Boolean).join(" "),
    ) ?? [message]
  );
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

function millisecondsOf(duration: string): number {
  return [...duration.matchAll(/([\d.]+)(ms|s|m)/g)].reduce(
    (sum, [, number = "0", unit = "ms"]) => sum + Number(number) * (UNITS[unit] ?? 1),
    0,
  );
}

/** Conditions that make a verification weaker than it seems, about which the core is silent. */
function pactFaults(pacts: readonly Pact[], provider: string): string[] {
  if (pacts.every(({ interactions }) => interactions.length === 0))
    return [`no pact has an interaction with ${provider}`];
  // The verifier's results do not distinguish two interactions with one description.
  return pacts.flatMap(({ path, interactions }) =>
    [...Map.groupBy(interactions, ({ description }) => description)].flatMap(([text, those]) =>
      those.length === 1 ? [] : `${path}: ${those.length} interactions are described as "${text}"`,
    ),
  );
}
