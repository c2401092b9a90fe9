import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

/** A change of one line, found again by its trimmed text if the file has moved or grown. */
export interface Change {
  readonly file: string;
  readonly line: string;
  readonly replacement: string;
}
interface Mutant {
  readonly fileName: string;
  readonly status?: string;
  readonly replacement: string;
  readonly location: Readonly<
    Record<"start" | "end", { readonly line: number; readonly column: number }>
  >;
}
// The development package is left out: its sources are scripts whose output is compared byte by byte.
const files = globSync("{packages/!(dev),schemas}/src/**/*.{ts,tsx}")
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => !/generated|\.d\.ts$/.test(path))
  .toSorted();
export const packageOf = (path: string): string => path.split("/src/")[0] ?? "";

/** Lists every change this script knows: Stryker's within one line, dropped statements and other numbers. */
export async function allChanges(): Promise<readonly Change[]> {
  const stryker = createRequire(createRequire(import.meta.url).resolve("@stryker-mutator/core"));
  // Not part of Stryker's public interface; the version is pinned.
  const { Instrumenter } = (await import(stryker.resolve("@stryker-mutator/instrumenter"))) as {
    Instrumenter: new (logger: object) => {
      instrument: (files: object[], options: object) => Promise<{ mutants: Mutant[] }>;
    };
  };
  const logger = { debug: () => undefined, info: () => undefined, isDebugEnabled: () => false };
  const sources = files.map((name) => ({
    name,
    mutate: true,
    content: readFileSync(name, "utf8"),
  }));
  const settings = {
    plugins: null,
    excludedMutations: ["StringLiteral", "ObjectLiteral"],
    ignorers: [],
  };
  const { mutants } = await new Instrumenter(logger).instrument(sources, settings);
  const byStryker = mutants.flatMap(
    ({ fileName, replacement, status, location: { start, end } }): Change[] => {
      const line = readFileSync(fileName, "utf8").split("\n")[start.line] ?? "";
      // A message's text is not behaviour, and nobody would make Stryker's placeholder mistakes.
      if (status === "Ignored" || start.line !== end.line || /Stryker was/.test(replacement))
        return [];
      const changed =
        line.slice(0, start.column) + replacement.replaceAll("\n", " ") + line.slice(end.column);
      return [{ file: fileName, line: line.trim(), replacement: changed.trim() }];
    },
  );
  const simple = sources.flatMap(({ name, content }) =>
    content.split("\n").flatMap((text): Change[] => {
      const line = text.trim();
      if (/^(?:\/|\*|import|export)/.test(line)) return [];
      const isStatement =
        /^(?:if \(.*\) (?:return|throw|continue|break)\b|(?:await |void )?[\w.#?]+\().*\);$/.test(
          line,
        );
      const other = line.replace(/(?<=^[^"'`]*(?<![\w.$]))\d[\d_]*(?![\w.])/, (digits) =>
        // Half as much again could pass for the same limit; this cannot.
        String(2 * Number(digits.replaceAll("_", "")) + 1),
      );
      return [...(isStatement ? [""] : []), ...(other === line ? [] : [other])].map(
        (replacement) => ({ file: name, line, replacement }),
      );
    }),
  );
  return [...byStryker, ...simple];
}

/** Writes the change, calls `use` with its place and restores the file. Returns undefined if the line no longer exists. */
export async function withChange<T>(
  change: Change,
  use: (file: string, line: number) => T | Promise<T>,
): Promise<T | undefined> {
  const at = (path: string): number =>
    readFileSync(path, "utf8")
      .split("\n")
      .findIndex((line) => line.trim() === change.line);
  // In its own file; else, where that has been split or renamed, in the first file that has the line.
  const file = [change.file, ...files].find((path) => files.includes(path) && at(path) >= 0);
  if (file === undefined) return undefined;
  const text = readFileSync(file, "utf8");
  const line = at(file);
  const restore = (): void => writeFileSync(file, text);
  process.once("exit", restore);
  try {
    writeFileSync(file, text.split("\n").with(line, change.replacement).join("\n"));
    return await use(file, line + 1);
  } finally {
    restore();
    process.off("exit", restore);
  }
}

/** Ends a suite that a broken line keeps running: many times the duration of the whole lane. */
const SUITE_TIMEOUT_MS = 600_000;

interface JsonReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

export interface Part {
  /** Only test files whose path has one of these texts. Default: all. */
  readonly paths?: readonly string[];
  /** Patterns of test files that are left out. */
  readonly except?: readonly string[];
  /** Only test files that import this file, directly or not. */
  readonly importing?: string | undefined;
}

/** Runs part of the quick lane up to its first failure, and returns that test's file and title. */
export async function failingTest({
  paths = [],
  except = [],
  importing,
}: Part): Promise<{ readonly file: string; readonly title: string } | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-broken-"));
  const json = join(folder, "report.json");
  const settings = [
    "--config",
    "test/vitest.config.ts",
    "--bail",
    "1",
    "--passWithNoTests",
    "--reporter",
    "json",
    "--outputFile",
    json,
    ...except.flatMap((pattern) => ["--exclude", pattern]),
  ];
  // A separate process group, so that workers in an endless loop end with it.
  const command = importing === undefined ? ["run"] : ["related", importing, "--run"];
  const child = spawn("pnpm", ["exec", "vitest", ...command, ...settings, ...paths], {
    detached: true,
    stdio: "ignore",
  });
  const kill = (signal: NodeJS.Signals): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
  };
  const onExit = (): void => kill("SIGTERM");
  process.once("exit", onExit);
  const timers = [
    setTimeout(onExit, SUITE_TIMEOUT_MS),
    setTimeout(() => kill("SIGKILL"), SUITE_TIMEOUT_MS + 10_000),
  ];
  await once(child, "exit");
  timers.forEach(clearTimeout);
  process.off("exit", onExit);
  try {
    if (child.exitCode === 0) return undefined;
    if (!existsSync(json)) return { file: "", title: "the run timed out or crashed" };
    // Written by vitest's JSON reporter.
    const { testResults } = JSON.parse(readFileSync(json, "utf8")) as JsonReport;
    for (const { name, message, assertionResults } of testResults) {
      const failed = assertionResults.find(({ status }) => status === "failed");
      const title = failed?.fullName ?? message.split("\n")[0];
      if (failed !== undefined || message !== "")
        return { file: relative(process.cwd(), name), title: title ?? "" };
    }
    return { file: "", title: "the run failed outside of tests" };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
