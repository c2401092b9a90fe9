import { spawn } from "node:child_process";
import process from "node:process";
import type { CommandFacts, SenderCommands } from "@countersign/contract-kit";
import { redactor } from "@countersign/contract-kit/report";
import { badArgument } from "../failure.ts";
import { wordOf } from "../options.ts";
import { terminalLine } from "@countersign/rules";
import type { Surroundings } from "../terminal.ts";
import { targetUrl, withoutQuery } from "./arguments.ts";

type Run = SenderCommands["trigger"];

/** Milliseconds that a command may take. */
const COMMAND_MS = 60_000;
/** Characters of a command's stderr that a message shows: the last ones. */
const SHOWN = 300;
/** Characters of it that are kept, to find secrets in. */
const KEPT = 65_536;

/** Runs the commands of `countersign verify sender`. `close` ends every command that still runs, and starts no other one. */
export function commandRunner(env: Surroundings["env"]) {
  const closed = new AbortController();
  const start = (run: (facts: CommandFacts, stopped: AbortSignal) => Promise<void>): Run => {
    return (facts) => {
      const own = new AbortController();
      const stop = (): void => own.abort();
      const ended = run(facts, AbortSignal.any([own.signal, closed.signal]));
      // Whoever stops a command does not ask for its end.
      ended.catch(() => undefined);
      return { ended, stop };
    };
  };
  return {
    /**
     * Returns what runs a shell command, or calls a URL: `https://…` and `POST https://…`.
     *
     * @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`: the URL is malformed, or has a name or a password.
     */
    command: (option: string, text: string): Run => {
      const [, method = "POST", given] =
        /^(?:([A-Z]+) +)?(https?:\/\/\S+)$/.exec(text.trim()) ?? [];
      if (given !== undefined) {
        const url = targetUrl(given, option).href;
        return start((facts, stopped) => call({ option, method, url }, facts, stopped));
      }
      const { COUNTERSIGN_SECRET_FILE: _, ...others } = env;
      return start((facts, stopped) => {
        const { url: to, secret, type } = facts;
        const named = { COUNTERSIGN_URL: to, COUNTERSIGN_SECRET: secret };
        const own = { ...others, ...named, COUNTERSIGN_EVENT_TYPE: type };
        return runShell({ option, text, env: own, secret, stopped });
      });
    },
    close: (): void => closed.abort(),
  };
}

/** Checks commands by the names of their options. */
export function requireCommands(commands: Readonly<Record<string, string | undefined>>): void {
  for (const [name, text] of Object.entries(commands))
    if (text?.trim() === "")
      throw badArgument(`${wordOf(name)} is empty: expected a shell command or a URL`);
}

interface ShellCommand {
  readonly option: string;
  readonly text: string;
  readonly env: Surroundings["env"];
  /** A text that no message may contain, in any form. Without it no message has the command's stderr, which a server may go on using. */
  readonly secret?: string;
  readonly stopped?: AbortSignal;
}

/** @throws {Error} The command ends with another status than 0 or not within a minute, or `stopped` was aborted before. */
export async function runShell({
  option,
  text,
  env,
  secret,
  stopped,
}: ShellCommand): Promise<void> {
  stopped?.throwIfAborted();
  const child = spawn(text, {
    shell: true,
    // Its own group, so that what it has started ends with it.
    detached: true,
    stdio: ["ignore", "ignore", secret === undefined ? "ignore" : "pipe"],
    env: { ...env },
  });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    stderr = `${stderr}${chunk}`.slice(-KEPT);
  });
  const timeout = AbortSignal.timeout(COMMAND_MS);
  const signal = AbortSignal.any([...(stopped === undefined ? [] : [stopped]), timeout]);
  // Processes that have left the group may keep it open for ever.
  const release = (): unknown => child.stderr?.destroy();
  const end = (): void => {
    endGroup(child.pid);
    release();
  };
  signal.addEventListener("abort", end, { once: true });
  const status = await new Promise<number | string>((resolve) => {
    child.on("error", ({ message }) => resolve(message));
    child.on("exit", (code, name) => resolve(code ?? name ?? ""));
  });
  signal.removeEventListener("abort", end);
  // A trigger's own children may go on until somebody stops it; a server that another command has started, for ever.
  stopped?.addEventListener("abort", option === "--trigger" ? end : release, { once: true });
  if (status === 0) return;
  if (timeout.aborted) throw new Error(`${option} did not end within ${COMMAND_MS / 1000} s`);
  const shown = terminalLine(endOf(stderr, secret));
  throw new Error(`${option} ended with ${status}${shown === "" ? "" : `: ${shown}`}`);
}

/** The last characters of a text, without a secret. A text that was cut may begin in the middle of one. */
function endOf(text: string, secret = ""): string {
  const hidden = redactor([secret])(text);
  return hidden
    .slice(text.length < KEPT ? 0 : KEPT / 2)
    .trim()
    .slice(-SHOWN);
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Calls a URL with the facts as JSON. @throws {Error} No answer, or another one than 2xx. */
async function call(
  {
    option,
    method,
    url,
  }: { readonly option: string; readonly method: string; readonly url: string },
  facts: CommandFacts,
  stopped: AbortSignal,
): Promise<void> {
  const hasBody = !["GET", "HEAD"].includes(method);
  const where = `${option}: ${method} ${withoutQuery(url)}`;
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, {
    method,
    redirect: "manual",
    signal: AbortSignal.any([stopped, AbortSignal.timeout(COMMAND_MS)]),
    ...(hasBody && { headers, body: JSON.stringify(facts) }),
  }).catch((cause: unknown) => {
    throw new Error(`${where}: no answer`, { cause });
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${where} → ${response.status}`);
}
