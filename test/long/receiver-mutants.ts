import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { levels, receiverChecks, requirements, run } from "@countersign/contract-kit";
import { startCopy } from "../matrix/stock.ts";

// Mutants of the stock receivers in JavaScript: what Stryker changes, the kit must notice.

const stock = fileURLToPath(new URL("../matrix/stock/", import.meta.url));
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
    const end = lines.findIndex((line) => !line.startsWith("import") && /effects/i.test(line));
    const start = { line: 0, column: 0 };
    return { name, content, mutate: [{ start, end: { line: end, column: 0 } }] };
  });
  const silent = { isDebugEnabled: () => false, debug() {}, info() {}, warn() {}, error() {} };
  // Only these methods of a logger are called.
  const instrumenter = new Instrumenter(silent as never);
  const options = { ignorers: [{ shouldIgnore }], excludedMutations: [], plugins: null };
  const { files, mutants: all } = await instrumenter.instrument(sources, options);
  const mutants = all.filter(({ status }) => status !== "Ignored");
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

/** A place in a syntax tree as Babel names it, whose types Stryker does not ship. */
interface NodePath {
  readonly key: string | number;
  readonly parent: {
    readonly type: string;
    readonly callee?: { readonly property?: { readonly name?: string } };
  } | null;
}

/** Leaves out what a receiver may choose: the body of an answer, and the default of a variable that is always set. */
function shouldIgnore({ key, parent }: NodePath): string | undefined {
  const method = parent?.type === "CallExpression" ? parent.callee?.property?.name : undefined;
  const isBody = key !== "callee" && (method === "json" || method === "send");
  const isDefault = parent?.type === "AssignmentPattern" && key === "right";
  return isBody || isDefault ? "a receiver's own choice" : undefined;
}

/**
 * Runs the kit against a receiver, with a baseline only until a failure at a default level.
 *
 * @returns The failures at the default levels that are not in the baseline, as `CHECK#REQUIREMENT`; `start` if the
 *   receiver does not start.
 */
export async function gravesOf(
  { file, id }: Pick<Mutant, "file"> & Partial<Mutant>,
  baseline?: ReadonlySet<string>,
): Promise<readonly string[]> {
  const path = folder + (file === "ledger.mjs" ? "express-by-hand.mjs" : file);
  let opened;
  try {
    opened = await startCopy(path, id === undefined ? {} : { __STRYKER_ACTIVE_MUTANT__: id });
  } catch {
    return ["start"];
  }
  const failures: string[] = [];
  const ended = new AbortController();
  try {
    await run({
      target: opened.target,
      checks: receiverChecks,
      requirements: requirements(),
      signal: ended.signal,
      onFinding({ check, status, requirement }) {
        const failure = `${check}#${requirement.id}`;
        const isGrave =
          status === "error" ||
          (status === "fail" && levels.slice(0, 2).includes(requirement.level));
        if (!isGrave || baseline?.has(failure) === true) return;
        failures.push(failure);
        if (baseline !== undefined) ended.abort();
      },
    });
  } finally {
    await opened.close();
  }
  return failures;
}
