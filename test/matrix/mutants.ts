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
import { startCopy } from "./stock.ts";

// Mutants of the stock receivers in JavaScript: what Stryker changes, the kit must notice.

const stock = fileURLToPath(new URL("stock/", import.meta.url));
const folder = fileURLToPath(new URL("../output/mutants/", import.meta.url));

/** Mutated files. The ledger is part of the receiver by hand. */
const FILES =
  "express-by-hand express-standardwebhooks express-stripe express-octokit fastify hono ledger";

export interface Mutant {
  /** Its id in Stryker's switch. */
  readonly id: string;
  /** `FILE: CODE → CODE`, the same as long as the code is. */
  readonly name: string;
  readonly file: string;
}

/** Writes the receivers with all their mutants switched off, and returns the mutants. */
export async function writeMutants(): Promise<readonly Mutant[]> {
  const sources = FILES.split(" ").map((one) => {
    const name = `${one}.mjs`;
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
  const options = { ignorers: [], excludedMutations: [], plugins: null };
  const { files, mutants } = await instrumenter.instrument(sources, options);
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

interface Place {
  readonly line: number;
  readonly column: number;
}

function sliceOf(code: string, { start, end }: { readonly start: Place; readonly end: Place }) {
  const lines = code.split("\n");
  const offset = ({ line, column }: Place): number =>
    lines.slice(0, line).join("\n").length + (line === 0 ? 0 : 1) + column;
  return code.slice(offset(start), offset(end));
}

/** The first finding at a level that fails a run by default, and the first one at another level. */
export interface Noticed {
  grave?: string;
  mild?: string;
}

/** Returns the failures at a receiver without a mutant, as ids of a baseline. */
export async function baselineOf(file: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  await verify({ file }, (failure) => {
    ids.add(failure.id);
    return "go on";
  });
  return ids;
}

/** Runs the kit against a mutant, and returns what fails that is not in the baseline; ends at a grave failure. */
export async function noticedOf(
  mutant: Mutant,
  baseline: ReadonlySet<string>,
): Promise<Readonly<Noticed>> {
  const noticed: Noticed = {};
  await verify(mutant, ({ id, isGrave, text }) => {
    if (baseline.has(id)) return "go on";
    noticed[isGrave ? "grave" : "mild"] ??= text;
    return isGrave ? "end" : "go on";
  });
  return noticed;
}

interface Failure {
  readonly id: string;
  readonly isGrave: boolean;
  readonly text: string;
}

async function verify(
  { file, id }: Pick<Mutant, "file"> & Partial<Mutant>,
  onFailure: (failure: Failure) => "go on" | "end",
): Promise<void> {
  const path = folder + (file === "ledger.mjs" ? "express-by-hand.mjs" : file);
  let opened;
  try {
    opened = await startCopy(path, id === undefined ? {} : { __STRYKER_ACTIVE_MUTANT__: id });
  } catch (error) {
    onFailure({ id: "start", isGrave: true, text: String(error) });
    return;
  }
  const ended = new AbortController();
  try {
    await run({
      target: opened.target,
      checks: receiverChecks,
      requirements: requirements(),
      failOn: levels,
      signal: ended.signal,
      onFinding({ check, status, requirement, message }) {
        if (status !== "fail" && status !== "error") return;
        const next = onFailure({
          id: `${check}#${requirement.id}`,
          isGrave: status === "error" || defaultFailOn.includes(requirement.level),
          text: `${requirement.id}: ${message.slice(0, 120)}`,
        });
        if (next === "end") ended.abort();
      },
    });
  } finally {
    await opened.close();
  }
}
