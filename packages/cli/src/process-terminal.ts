import type { Terminal } from "./terminal.ts";

/** As much of a process's stream as is written to. */
interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The streams of a process; progress is shown where stderr is a terminal, and is no line of it. */
export function processTerminal({
  stdout,
  stderr,
}: {
  readonly stdout: Stream;
  readonly stderr: Stream;
}): Terminal {
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
