import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import {
  defaultFailOn,
  levels,
  receiverChecks,
  requirements,
  run,
} from "@countersign/contract-kit";
import { openStock } from "./good/stock.ts";

// Mutants of the stock receivers in JavaScript: what Stryker changes, the kit must notice.

const stock = fileURLToPath(new URL("stock/", import.meta.url));
const folder = fileURLToPath(new URL("../output/mutants/", import.meta.url));

/** Mutated files, each with the stock receiver that runs it. */
const hosts: Readonly<Record<string, string>> = {
  "express-by-hand.mjs": "Express by hand",
  "express-standardwebhooks.mjs": "Express with standardwebhooks",
  "express-stripe.mjs": "Express with stripe",
  "express-octokit.mjs": "Express with @octokit/webhooks-methods",
  "fastify.mjs": "Fastify",
  "hono.mjs": "Hono",
  "ledger.mjs": "Express by hand",
};

export interface Mutant {
  /** Its id in Stryker's switch. */
  readonly id: string;
  /** `FILE: CODE → CODE`, the same as long as the code is. */
  readonly name: string;
  readonly file: string;
}

/** Writes the receivers with all their mutants switched off, and returns the mutants. */
export async function writeMutants(): Promise<readonly Mutant[]> {
  const sources = Object.keys(hosts).map((name) => {
    const content = readFileSync(stock + name, "utf8");
    const lines = content.split("\n");
    // The effects belong to the test, not to the receiver.
    const end = lines.findIndex((line) => !line.startsWith("import") && line.includes("effects"));
    const start = { line: 0, column: 0 };
    return { name, content, mutate: [{ start, end: { line: end, column: 0 } }] };
  });
  const silent = { isDebugEnabled: () => false, debug() {}, info() {}, warn() {}, error() {} };
  // Only these methods of a logger are called.
  const instrumenter = new Instrumenter(silent as never);
  const { files, mutants } = await instrumenter.instrument(sources, {
    ignorers: [],
    excludedMutations: [],
    plugins: null,
  });
  mkdirSync(folder, { recursive: true });
  for (const { name, content } of files) writeFileSync(folder + name, content);
  const seen = new Map<string, number>();
  return mutants.map(({ id, fileName, location, replacement }) => {
    const code = sources.find(({ name }) => name === fileName)?.content ?? "";
    const short = (text: string): string => text.replaceAll(/\s+/g, " ").trim().slice(0, 70);
    const told = `${fileName}: ${short(sliceOf(code, location))} → ${short(replacement)}`;
    const place = (seen.get(told) ?? 0) + 1;
    seen.set(told, place);
    return { id, file: fileName, name: place === 1 ? told : `${told} (${place})` };
  });
}

interface Location {
  readonly start: { readonly line: number; readonly column: number };
  readonly end: { readonly line: number; readonly column: number };
}

function sliceOf(code: string, { start, end }: Location): string {
  const lines = code.split("\n");
  const offset = ({ line, column }: Location["start"]): number =>
    lines.slice(0, line).join("\n").length + (line === 0 ? 0 : 1) + column;
  return code.slice(offset(start), offset(end));
}

/** The first finding at a level that fails a run by default, and the first one at another level. */
export interface Noticed {
  readonly grave?: string;
  readonly mild?: string;
}

/** Returns the failures at a receiver without a mutant, as ids of a baseline. */
export async function baselineOf(file: string, seed: number): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  await verify(file, {}, { seed, onFailure: ({ id }) => ids.add(id) });
  return ids;
}

/** Runs the kit against a mutant, and returns what fails that is not in the baseline; ends at a grave failure. */
export async function noticedOf(
  { file, id }: Mutant,
  baseline: ReadonlySet<string>,
  seed: number,
): Promise<Noticed> {
  const ended = new AbortController();
  const noticed: { grave?: string; mild?: string } = {};
  const onFailure = ({ id: finding, isGrave, text }: Failed): void => {
    if (baseline.has(finding)) return;
    if (!isGrave) noticed.mild ??= text;
    else {
      noticed.grave ??= text;
      ended.abort();
    }
  };
  const env = { __STRYKER_ACTIVE_MUTANT__: id };
  await verify(file, env, { seed, signal: ended.signal, onFailure });
  return noticed;
}

interface Failed {
  readonly id: string;
  readonly isGrave: boolean;
  readonly text: string;
}

async function verify(
  file: string,
  env: Readonly<Record<string, string>>,
  {
    onFailure,
    ...options
  }: { seed: number; signal?: AbortSignal; onFailure: (one: Failed) => void },
): Promise<void> {
  const path = folder + (file === "ledger.mjs" ? "express-by-hand.mjs" : file);
  let opened;
  try {
    opened = await openStock(hosts[file] ?? "", { path, env });
  } catch (error) {
    onFailure({ id: "start", isGrave: true, text: String(error) });
    return;
  }
  try {
    await run({
      ...options,
      target: opened.target,
      checks: receiverChecks,
      requirements: requirements(),
      failOn: levels,
      onFinding({ check, status, requirement, message }) {
        if (status !== "fail" && status !== "error") return;
        onFailure({
          id: `${check}#${requirement.id}`,
          isGrave: status === "error" || defaultFailOn.includes(requirement.level),
          text: `${requirement.id}: ${message.slice(0, 120)}`,
        });
      },
    });
  } finally {
    await opened.close();
  }
}
