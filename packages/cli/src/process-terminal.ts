import type { Terminal, Tone } from "./terminal.ts";

/** As much of a process's stream as is written to. */
interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const colours: Readonly<Record<Tone, number>> = { good: 32, bad: 31, mild: 33, soft: 2 };

/**
 * The streams of a process; progress is shown where stderr is a terminal, and is no line of it. Words have
 * colours where stdout is one, unless `NO_COLOR` is set or the terminal knows none.
 */
export function processTerminal({
  stdout,
  stderr,
  env,
}: {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Terminal {
  const isPlain = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  let isShown = false;
  const clear = (): void => {
    if (isShown) stderr.write("\r\u001b[K");
    isShown = false;
  };
  const line = (stream: Stream, text: string): void => {
    clear();
    stream.write(`${text}\n`);
  };
  return {
    out: (text) => line(stdout, text),
    err: (text) => line(stderr, text),
    ...(stdout.isTTY === true &&
      !isPlain && {
        paint: (word: string, tone: Tone) => `\u001b[${colours[tone]}m${word}\u001b[0m`,
      }),
    ...(stderr.isTTY === true && {
      progress: (text: string): void => {
        clear();
        if (text === "") return;
        // A line that goes on in the next one could not be taken back.
        stderr.write(text.slice(0, (stderr.columns ?? 80) - 1));
        isShown = true;
      },
    }),
  };
}
