import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../", import.meta.url);
const REPLACE = fileURLToPath(new URL("replace.mjs", import.meta.url));
const MAIN = fileURLToPath(new URL("packages/cli/src/main.ts", ROOT));
const TOKEN = "cst_faults_0123456789_abcdefghijklmnopqrstuvwxyz";

/** A realistic mistake in the reference service, as one line of `provider-faults.jsonl`. */
export interface ProviderFault {
  readonly id: string;
  /** The broken promise and its victim. */
  readonly breaks: string;
  /** A requirement that fails with it; `undefined` if `verify provider` does not notice it. */
  readonly fails?: string;
  readonly missed?: string;
  /** A file from the root of the repository, a text that occurs once in it, and what replaces it. */
  readonly edits: readonly (readonly [file: string, find: string, replacement: string])[];
}

export function readFaults(): readonly ProviderFault[] {
  const text = readFileSync(new URL("provider-faults.jsonl", import.meta.url), "utf8");
  // The cast: this repository's own file, which a test reads.
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as ProviderFault);
}

/** Returns the edits whose text no longer occurs exactly once: their fault would change nothing, or too much. */
export function driftedEdits(faults: readonly ProviderFault[]): readonly string[] {
  const sources = new Map<string, string>();
  return faults.flatMap(({ id, edits }) =>
    edits.flatMap(([file, find]) => {
      const source = sources.get(file) ?? readFileSync(new URL(file, ROOT), "utf8");
      sources.set(file, source);
      const count = source.split(find).length - 1;
      return count === 1 ? [] : [`${id}: ${file} has the text ${count} times: ${find}`];
    }),
  );
}

/**
 * Starts a sandbox with the fault and verifies the fault's requirement against it.
 *
 * @returns `broke` if the requirement does not fail and a check ended with an error: that proves nothing.
 * @throws {Error} The sandbox does not start, or `verify provider` writes no report.
 */
export async function verdictOn({
  edits,
  fails,
}: ProviderFault): Promise<"noticed" | "missed" | "broke"> {
  if (fails === undefined) throw new TypeError("this fault has no requirement");
  const folder = mkdtempSync(join(tmpdir(), "countersign-fault-"));
  const env = { COUNTERSIGN_FAULT: JSON.stringify(edits) };
  const database = join(folder, "sandbox.db");
  const sandbox = start(["sandbox", "--port", "0", "--database", database], env);
  try {
    const report = join(folder, "report.json");
    const only = ["--only", fails, "--report", `json=${report}`];
    const verify = start(["verify", "provider", "--url", await sandbox.ready, ...only], {});
    await verify.exited;
    // The cast: the report of the command's own schema, of which two members are read.
    const { entries } = JSON.parse(readFileSync(report, "utf8")) as {
      readonly entries: readonly { readonly requirement: string; readonly status: string }[];
    };
    // A requirement of a level that does not fail the run is a warning.
    const statuses = entries
      .filter(({ requirement }) => requirement === fails)
      .map(({ status }) => status);
    if (statuses.includes("fail") || statuses.includes("warn")) return "noticed";
    return statuses.includes("error") ? "broke" : "missed";
  } finally {
    sandbox.kill();
    await sandbox.exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

function start(args: readonly string[], env: Readonly<Record<string, string>>) {
  const node = ["--disable-warning=ExperimentalWarning", "--conditions=@countersign/source"];
  const preload = env["COUNTERSIGN_FAULT"] === undefined ? [] : [`--import=${REPLACE}`];
  const child = spawn(process.execPath, [...node, ...preload, MAIN, ...args], {
    env: { PATH: process.env["PATH"], COUNTERSIGN_TOKEN: TOKEN, ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exited = once(child, "close");
  let said = "";
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const url = /^ready (.*)$/m.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    void exited.then(() => reject(new Error(`the command ended: ${args.join(" ")}`)));
  });
  // Only a sandbox is waited for.
  ready.catch(() => {});
  return { ready, exited, kill: () => child.kill("SIGKILL") };
}
