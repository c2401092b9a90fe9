import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { root } from "./published.ts";

/** A running process that has printed its `ready` line. */
export interface Child {
  readonly url: string;
  /** Its lines on stdout, without `ready`. */
  readonly lines: readonly string[];
  /** Its output on stderr until it was ready. */
  readonly notes: string;
  /** Sends SIGTERM and waits for the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Starts a Node.js script of this repository and waits for its line `ready URL`.
 *
 * @throws {Error} the script ends before that line; the message has its output on stderr.
 */
export async function startChild(options: {
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Called with the function that stops the process, before it is ready. */
  readonly onSpawn?: (stop: () => Promise<number | null>) => void;
}): Promise<Child> {
  const child = spawn(
    process.execPath,
    [...process.execArgv, `${root}${options.script}`, ...options.args],
    {
      cwd: root,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  options.onSpawn?.(() => stop(child));
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaints += text));
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  const url = await new Promise<string>((resolve, reject) => {
    reader.on("line", (line) => {
      const ready = /^ready (http:\S+)$/.exec(line)?.[1];
      if (ready === undefined) lines.push(line);
      else resolve(ready);
    });
    child.once("error", reject);
    child.once("exit", (code) =>
      reject(new Error(`${options.name} ended with code ${String(code)}:\n${complaints}`)),
    );
  });
  return {
    url,
    lines,
    notes: complaints,
    stop: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
  return child.exitCode;
}
