import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** `@pact-foundation/pact`, an optional peer dependency of 75 MB, is not installed. */
export class PactMissingError extends Error {
  readonly code = "CS_KIT_PACT_MISSING";
  constructor(options?: ErrorOptions) {
    super(
      "Pact is not installed: npm install --save-dev --ignore-scripts @pact-foundation/pact@17.1.4",
      options,
    );
    this.name = "PactMissingError";
  }
}

/** Options of Pact's native core, as far as this kit sets them. */
export interface CoreOptions {
  readonly provider: string;
  readonly providerBaseUrl: string;
  readonly providerStatesSetupUrl: string;
  readonly transports: readonly {
    readonly protocol: "message";
    readonly port: number;
    readonly path: string;
    readonly scheme: "http";
  }[];
  readonly pactUrls: readonly string[];
  /** Milliseconds for one call. */
  readonly timeout: number;
  /** Added to every call to the interface, states and messages. */
  readonly customProviderHeaders?: Readonly<Record<string, string>>;
  readonly logLevel: "error";
}

export interface ChildRun {
  /** The core's output: JSON of results, or a plain message. `undefined`: it ended without. */
  readonly text: string | undefined;
  /** All of its output. */
  readonly log: string;
  /** The reason if `text` is missing. */
  readonly ended: string | undefined;
}

/** The core's environment: without the variable it sends telemetry for every run; `1` is not honoured. */
export const CORE_ENVIRONMENT = { PACT_DO_NOT_TRACK: "true" };

/**
 * Runs the native core in a separate process with `CORE_ENVIRONMENT`: no proxy and no filter of
 * the caller's environment changes what is verified.
 *
 * @throws {PactMissingError} `CS_KIT_PACT_MISSING`
 */
export async function runChild(
  options: CoreOptions,
  { limitMs }: { readonly limitMs: number },
): Promise<ChildRun> {
  const pact = pactEntry();
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const script = fileURLToPath(new URL(`./child.${extension}`, import.meta.url));
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script], {
    env: CORE_ENVIRONMENT,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let log = "";
  let text: string | undefined;
  let isLate = false;
  const watchdog = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, limitMs);
  child.stdout?.setEncoding("utf8").on("data", (more: string) => (log += more));
  child.stderr?.setEncoding("utf8").on("data", (more: string) => (log += more));
  child.once("message", (answer) => ({ text } = answer as { readonly text: string }));
  return new Promise<ChildRun>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(watchdog);
      const how = isLate ? `no end after ${limitMs} ms` : `ended with ${String(code ?? signal)}`;
      resolve({ text, log, ended: text === undefined ? how : undefined });
    });
    child.send({ pact, options });
  });
}

/** True if Pact is there, which is an optional peer of this package. */
export function isPactInstalled(): boolean {
  try {
    return pactEntry() !== "";
  } catch {
    return false;
  }
}

function pactEntry(): string {
  try {
    return createRequire(import.meta.url).resolve("@pact-foundation/pact");
  } catch (cause) {
    throw new PactMissingError({ cause });
  }
}

/** One interaction as Pact's native core reports it. */
export interface CoreResult {
  readonly description: string;
  readonly consumer: string;
  readonly states: readonly string[];
  readonly isOk: boolean;
  readonly ms: number;
  readonly problems: readonly string[];
}

/** Results of the core's JSON; `undefined` if the text is not JSON of results. */
export function coreResults(text: string): readonly CoreResult[] | undefined {
  let document: CoreDocument;
  try {
    // Every member below may be missing.
    document = JSON.parse(text) as CoreDocument;
  } catch {
    return undefined;
  }
  return document.interactionResults?.map((one) => ({
    description: one.description ?? "",
    consumer: one.consumer ?? "",
    states: one.providerStates ?? [],
    isOk: one.result === "OK",
    ms: millisecondsOf(one.duration ?? ""),
    problems: problemsOf(one.mismatch),
  }));
}

interface CoreDocument {
  readonly interactionResults?: readonly {
    readonly description?: string;
    readonly consumer?: string;
    readonly providerStates?: readonly string[];
    readonly result?: string;
    readonly duration?: string;
    readonly mismatch?: Mismatch;
  }[];
}

interface Mismatch {
  readonly message?: string;
  readonly mismatches?: readonly {
    readonly type?: string;
    readonly path?: string;
    readonly key?: string;
    readonly mismatch?: string;
  }[];
}

function problemsOf(mismatch: Mismatch | undefined): readonly string[] {
  if (mismatch === undefined) return [];
  const { mismatches, message = "it failed" } = mismatch;
  return (
    mismatches?.map(({ type = "", path, key, mismatch: said = "" }) =>
      [type, path ?? key ?? "", said].filter((word) => word !== "").join(" "),
    ) ?? [message]
  );
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** `205ms`, `1s 86ms`, `1.086s` or `2m 7s 57ms`. */
function millisecondsOf(duration: string): number {
  return [...duration.matchAll(/([\d.]+)(ms|s|m)/g)].reduce(
    (sum, [, number = "0", unit = "ms"]) => sum + Number(number) * (UNITS[unit] ?? 1),
    0,
  );
}
