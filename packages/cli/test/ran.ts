import { run, type RunSurroundings } from "../src/run.ts";

/** Text that a run has written so far. */
export interface Said {
  out: string;
  err: string;
}

/** Surroundings without a person or a signal, whose output goes to `said`. */
export const quietSurroundings = (said: Said, env: RunSurroundings["env"]): RunSurroundings => ({
  terminal: {
    out: (line) => void (said.out += `${line}\n`),
    err: (line) => void (said.err += `${line}\n`),
  },
  env,
  asked: () => Promise.resolve(),
  interruption: () => new AbortController().signal,
  askSecret: () => Promise.resolve(undefined),
  version: "1.2.3",
});

export interface Ran extends Readonly<Said> {
  readonly status: number;
}

/** Runs the command in this process; a server is asked to end as soon as it is ready. */
export async function ran(args: readonly string[], env: RunSurroundings["env"] = {}): Promise<Ran> {
  const said = { out: "", err: "" };
  const status = await run(args, quietSurroundings(said, env));
  return { status, ...said };
}
