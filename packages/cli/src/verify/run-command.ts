import { spawn } from "node:child_process";
import process from "node:process";
import type { CommandFacts, SenderCommands } from "@countersign/contract-kit";
import { printable } from "../printable.ts";
import type { Surroundings } from "../terminal.ts";

type Run = SenderCommands["trigger"];

/** Milliseconds that a command may take. */
const COMMAND_MS = 60_000;
/** Characters of a command's stderr that a message shows: the last ones. */
const SHOWN = 300;

export interface CommandRunner {
  /** Returns what runs a shell command, or calls a URL: `https://…` and `POST https://…`. */
  readonly command: (option: string, text: string) => Run;
  /** Ends every command that still runs. */
  readonly close: () => void;
}

/** Runs the commands of `countersign verify sender`, each in a process group of its own. */
export function commandRunner(env: Surroundings["env"]): CommandRunner {
  const stops = new Set<() => void>();
  const start = (run: (signal: AbortSignal, facts: CommandFacts) => Promise<void>): Run => {
    return (facts) => {
      const abort = new AbortController();
      const stop = (): void => abort.abort();
      stops.add(stop);
      const ended = run(abort.signal, facts).finally(() => stops.delete(stop));
      // Whoever stops a command does not ask for its end.
      ended.catch(() => undefined);
      return { ended, stop };
    };
  };
  return {
    command: (option, text) => {
      const [, method = "POST", url] = /^(?:([A-Z]+) +)?(https?:\/\/\S+)$/.exec(text.trim()) ?? [];
      return url === undefined
        ? start((signal, facts) => runShell({ option, text, env }, facts, signal))
        : start((signal, facts) => call({ option, method, url }, facts, signal));
    },
    close: () => {
      for (const stop of stops) stop();
    },
  };
}

interface ShellCommand {
  readonly option: string;
  readonly text: string;
  readonly env: Surroundings["env"];
}

/** @throws {Error} It ends with another status than 0, or not in time. The message has the end of its stderr. */
async function runShell(
  { option, text, env }: ShellCommand,
  { url, secret, type }: CommandFacts,
  stopped: AbortSignal,
): Promise<void> {
  const { COUNTERSIGN_SECRET_FILE: _, ...others } = env;
  const facts = { COUNTERSIGN_URL: url, COUNTERSIGN_SECRET: secret, COUNTERSIGN_EVENT_TYPE: type };
  const child = spawn(text, {
    shell: true,
    // Its own group, so that what it has started ends with it.
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...others, ...facts },
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr = `${stderr}${chunk.toString()}`.slice(-SHOWN);
  });
  const timeout = AbortSignal.timeout(COMMAND_MS);
  const signal = AbortSignal.any([stopped, timeout]);
  const end = (): void => endGroup(child.pid);
  signal.addEventListener("abort", end, { once: true });
  const status = await new Promise<number | string>((resolve) => {
    child.on("error", ({ message }) => resolve(message));
    child.on("exit", (code, name) => resolve(code ?? name ?? ""));
  });
  // A trigger's own children may go on, until somebody stops it.
  if (status !== 0 || signal.aborted) signal.removeEventListener("abort", end);
  if (status === 0) return;
  if (timeout.aborted) throw new Error(`${option} did not end within ${COMMAND_MS / 1000} s`);
  const shown = printable(stderr.trim().replaceAll(secret, "[secret]"));
  throw new Error(`${option} ended with ${status}${shown === "" ? "" : `: ${shown}`}`);
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

interface HttpCommand {
  readonly option: string;
  readonly method: string;
  readonly url: string;
}

/** Calls a URL with the facts as JSON. @throws {Error} No answer, or another one than 2xx. */
async function call(
  { option, method, url }: HttpCommand,
  facts: CommandFacts,
  stopped: AbortSignal,
): Promise<void> {
  const hasBody = !["GET", "HEAD"].includes(method);
  const where = `${option}: ${method} ${url.replace(/[?#].*/s, "")}`;
  const response = await fetch(url, {
    method,
    redirect: "manual",
    signal: AbortSignal.any([stopped, AbortSignal.timeout(COMMAND_MS)]),
    ...(hasBody && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(facts),
    }),
  }).catch((cause: unknown) => {
    throw new Error(`${where}: no answer`, { cause });
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${where} → ${response.status}`);
}
