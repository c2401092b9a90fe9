import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

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
  ];
  // A separate process group, so that workers in an endless loop end with it.
  const command = importing === undefined ? ["run"] : ["related", importing, "--run"];
  const child = spawn("pnpm", ["exec", "vitest", ...command, ...settings, ...paths], {
    env: { ...process.env, COUNTERSIGN_TESTS_LEFT_OUT: except.join(" ") },
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
