import { run } from "../src/run.ts";

export interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command in this process; one that serves is asked to end as soon as it is ready. */
export async function ran(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const said = { out: "", err: "" };
  const status = await run(args, {
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
  return { status, ...said };
}
