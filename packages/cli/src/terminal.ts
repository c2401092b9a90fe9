import process from "node:process";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { terminalJson, terminalLine } from "@countersign/rules";

export type Tone = "good" | "bad" | "mild" | "soft" | "strong";

/** The streams of a run. A tone colours the text before the line's first colon or two spaces where the stream has colours. */
export interface Streams {
  /** Results, for programs. */
  out(line: string, tone?: Tone): void;
  /** Everything else, for people. */
  err(line: string, tone?: Tone): void;
  /** Width of the terminal in columns; absent if the output is not a terminal. */
  readonly columns?: number;
  /** Shows progress on one line that the next call replaces; absent if stderr is not a terminal. */
  readonly progress?: (text: string) => void;
}

/** The output of a command, which escapes each line: any text of a stranger can be written. */
export interface Terminal extends Streams {
  /** One line of JSON on `out`. */
  json(value: object): void;
}

export const escaping = (streams: Streams): Terminal => {
  const { progress } = streams;
  return {
    ...streams,
    out: (line, tone) => streams.out(terminalLine(line), tone),
    err: (line, tone) => streams.err(terminalLine(line), tone),
    json: (value) => streams.out(terminalJson(value)),
    ...(progress && { progress: (text: string) => progress(terminalLine(text)) }),
  };
};

export interface Surroundings {
  readonly terminal: Terminal;
  /** The environment's variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Resolves when somebody asks the process to end. */
  readonly asked: () => Promise<void>;
  /** Aborts when somebody asks the process to end. Who has called it ends in order; a second request ends it at once. */
  readonly interruption: () => AbortSignal;
  /** The bytes of standard input. */
  readonly input: () => AsyncIterable<Uint8Array>;
  /** Asks at the terminal without showing the input; `undefined` without a terminal. */
  readonly askSecret: (question: string) => Promise<string | undefined>;
  /** The command ran and found a problem: status 1. */
  readonly unmet: () => void;
  /** Version of this package. */
  readonly version: string;
}

/** The part of a process's stream that is written to. */
interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const colours: Readonly<Record<Tone, number>> = { good: 32, bad: 31, mild: 33, soft: 2, strong: 1 };

/**
 * The streams of a process. A stream has colours if it is a terminal that supports them, unless `NO_COLOR` has a value.
 * `FORCE_COLOR` overrides both: off with `0` or `false`, else on.
 */
export function processTerminal({
  stdout,
  stderr,
  env,
}: Pick<Surroundings, "env"> & { readonly stdout: Stream; readonly stderr: Stream }): Streams {
  const forced = env["FORCE_COLOR"];
  const isPlain = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  const isColoured = ({ isTTY }: Stream): boolean =>
    forced === undefined ? isTTY === true && !isPlain : !["0", "false"].includes(forced);
  let isShown = false;
  const clear = (): void => {
    if (isShown) stderr.write("\r\u001b[K");
    isShown = false;
  };
  const line = (stream: Stream, text: string, tone: Tone | undefined): void => {
    clear();
    const isPainted = tone !== undefined && isColoured(stream);
    const painted = (word: string): string =>
      `\u001b[${colours[tone ?? "strong"]}m${word}\u001b[0m`;
    stream.write(`${isPainted ? text.replace(/^.+?(?= {2}|:)/, painted) : text}\n`);
  };
  return {
    out: (text, tone) => line(stdout, text, tone),
    err: (text, tone) => line(stderr, text, tone),
    ...(stdout.isTTY === true && stdout.columns !== undefined && { columns: stdout.columns }),
    ...(stderr.isTTY === true && {
      progress: (text: string): void => {
        clear();
        if (text === "") return;
        // A line that wraps could not be erased.
        stderr.write(text.slice(0, (stderr.columns ?? 80) - 1));
        isShown = true;
      },
    }),
  };
}

/** Asks at the terminal without echo; returns `undefined` without a terminal. */
export async function askSecret(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, written) => written() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await lines.question("");
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}

/** Lines of a table: each column is as wide as its longest cell. */
export function inColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** Lines of labels and values. */
export const inRows = (rows: Readonly<Record<string, string>>): readonly string[] =>
  inColumns(Object.entries(rows));
