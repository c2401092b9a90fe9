import { spawn } from "node:child_process";
import { once } from "node:events";
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
  /** The reason if `text` is missing. */
  readonly ended: string | undefined;
}

/** The core's environment: without the variable it sends telemetry for every run; `1` is not honoured. */
export const CORE_ENVIRONMENT = { PACT_DO_NOT_TRACK: "true" };

/** Runs the core in a process with `CORE_ENVIRONMENT`: no proxy and no filter of the caller's changes what is verified. */
export async function runChild(
  options: CoreOptions,
  { limitMs }: { readonly limitMs: number },
): Promise<ChildRun> {
  const pact = pactEntry();
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const script = fileURLToPath(new URL(`./child.${extension}`, import.meta.url));
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script], {
    env: CORE_ENVIRONMENT,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    timeout: limitMs,
    killSignal: "SIGKILL",
  });
  let text: string | undefined;
  child.once("message", (answer) => ({ text } = answer as { readonly text: string }));
  const closed = once(child, "close");
  child.send({ pact, options });
  // As Node's documentation says of the event.
  const [code, signal] = (await closed) as [number | null, string | null];
  const isLate = signal === "SIGKILL";
  const how = isLate ? `no end after ${limitMs} ms` : `ended with ${String(code ?? signal)}`;
  return { text, ended: text === undefined ? how : undefined };
}

function pactEntry(): string {
  try {
    return createRequire(import.meta.url).resolve("@pact-foundation/pact");
  } catch (cause) {
    throw new PactMissingError({ cause });
  }
}
