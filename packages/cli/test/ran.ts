import { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { run, type RunSurroundings } from "../src/program.ts";

/** Text that a run has written so far. */
export interface Said {
  out: string;
  err: string;
}

/** Surroundings without a person or a signal, whose output goes to `said`. */
export const quietSurroundings = (
  said: Said,
  env: RunSurroundings["env"],
  input = "",
): RunSurroundings => ({
  terminal: {
    out: (line) => void (said.out += `${line}\n`),
    err: (line) => void (said.err += `${line}\n`),
  },
  env,
  asked: () => Promise.resolve(),
  interruption: () => new AbortController().signal,
  input: () => Readable.from(input === "" ? [] : [Buffer.from(input)]),
  askSecret: () => Promise.resolve(undefined),
  version: "1.2.3",
});

export interface Ran extends Readonly<Said> {
  readonly status: number;
}

/** Runs the command in this process; a server is asked to end as soon as it is ready. */
export async function ran(
  args: readonly string[],
  env: RunSurroundings["env"] = {},
  input = "",
): Promise<Ran> {
  const said = { out: "", err: "" };
  const status = await run(args, quietSurroundings(said, env, input));
  return { status, ...said };
}

export interface Served {
  readonly url: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Asks it to end, as a signal asks a process. @returns Its exit status. */
  readonly end: () => Promise<number>;
}

/**
 * Serves in this process until the test ends (or what `onEnd` says). Signals, the working folder and module loading
 * need a process: `start`, which takes ten times as long.
 *
 * @throws {Error} The command ended before its line `ready URL`.
 */
export async function serveHere(
  args: readonly string[],
  env: RunSurroundings["env"] = {},
  onEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<Served> {
  const said = { out: "", err: "" };
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>();
  const quiet = quietSurroundings(said, env);
  const out = (line: string): void => {
    quiet.terminal.out(line);
    const match = /^ready (.*)$/.exec(line);
    if (match !== null) resolve(match[1] ?? "");
  };
  const terminal = { ...quiet.terminal, out };
  const status = run(args, { ...quiet, terminal, asked: () => asked });
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
