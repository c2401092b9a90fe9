import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { PactMissingError } from "./pact-missing-error.ts";

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
  readonly pactUrls?: readonly string[];
  /** Milliseconds for one call. */
  readonly timeout: number;
  readonly logLevel: "error";
  readonly pactBrokerUrl?: string;
  readonly pactBrokerUsername?: string;
  readonly pactBrokerPassword?: string;
  readonly pactBrokerToken?: string;
  readonly consumerVersionSelectors?: readonly object[];
  readonly enablePending?: boolean;
  readonly includeWipPactsSince?: string;
  readonly publishVerificationResult?: boolean;
  readonly providerVersion?: string;
  readonly providerVersionBranch?: string;
  readonly providerVersionTags?: readonly string[];
  readonly buildUrl?: string;
}

export interface ChildRun {
  /** What the core answered: JSON of results, or a plain message. `undefined`: it ended without. */
  readonly text: string | undefined;
  /** Everything that it printed. */
  readonly log: string;
  /** Why there is no text. */
  readonly ended: string | undefined;
}

/**
 * Runs the native core in a process of its own, whose environment is `PACT_DO_NOT_TRACK=true` and `env`:
 * no proxy, no broker and no filter of the caller's environment changes what is verified.
 *
 * @throws {PactMissingError} `CS_KIT_PACT_MISSING`
 */
export async function runChild(
  options: CoreOptions,
  { limitMs, env = {} }: { limitMs: number; env?: Readonly<Record<string, string>> | undefined },
): Promise<ChildRun> {
  const pact = pactEntry();
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const script = fileURLToPath(new URL(`./child.${extension}`, import.meta.url));
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script], {
    env: childEnvironment(env),
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

/** What the core finds in its environment: without the variable it tells its makers of every run. */
export function childEnvironment(
  env: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  // `1` is not honoured by the core, whatever its documentation says.
  return { ...env, PACT_DO_NOT_TRACK: "true" };
}

/** Where Pact is, which is an optional peer of this package. */
function pactEntry(): string {
  try {
    return createRequire(import.meta.url).resolve("@pact-foundation/pact");
  } catch (cause) {
    throw new PactMissingError({ cause });
  }
}
