import { onTestFinished } from "vitest";
import { run } from "../src/run.ts";
import type { Surroundings } from "../src/terminal.ts";

/** A command that serves, and takes calls. */
export interface Served {
  readonly url: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Asks it to end, as a signal asks a process. @returns Its exit status. */
  readonly end: () => Promise<number>;
}

type OnEnd = (end: () => Promise<void>) => void;

/**
 * Serves in this process until the test is over (or what `onEnd` says), from the first call to its own end: what a process alone
 * shows (signals, working folder, modules) is for `start`, which takes ten times as long.
 *
 * @throws {Error} The command has ended before its line `ready URL`.
 */
export async function serveHere(
  args: readonly string[],
  env: Surroundings["env"] = {},
  onEnd: OnEnd = onTestFinished,
): Promise<Served> {
  const said = { out: "", err: "" };
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: ready, resolve: tellReady, reject } = Promise.withResolvers<string>();
  const status = run(args, {
    terminal: {
      out: (line) => {
        said.out += `${line}\n`;
        const match = /^ready (.*)$/.exec(line);
        if (match !== null) tellReady(match[1] ?? "");
      },
      err: (line) => void (said.err += `${line}\n`),
    },
    env,
    asked: () => asked,
    interruption: () => new AbortController().signal,
    askSecret: () => Promise.resolve(undefined),
    version: "1.2.3",
  });
  status.then((code) => reject(new Error(`ended with ${code}: ${said.err}`)), reject);
  const end = (): Promise<number> => {
    ask();
    return status;
  };
  onEnd(async () => void (await end()));
  return { url: await ready, stdout: () => said.out, stderr: () => said.err, end };
}

/** The value that a line on stderr names. */
export function told({ stderr }: Pick<Served, "stderr">, name: string): string {
  return new RegExp(`^${name} +(\\S+)`, "m").exec(stderr())?.[1] ?? "";
}
