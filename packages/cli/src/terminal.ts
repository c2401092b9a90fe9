export type Tone = "good" | "bad" | "mild" | "soft" | "strong";

/** The output of a command. A tone colours the text before the line's first colon or two spaces where the stream has colours. */
export interface Terminal {
  /** Results, for programs. */
  out(line: string, tone?: Tone): void;
  /** Everything else, for people. */
  err(line: string, tone?: Tone): void;
  /** Width of the terminal in columns; absent if the output is not a terminal. */
  readonly columns?: number;
  /** Shows progress on one line that the next call replaces; absent if stderr is not a terminal. */
  readonly progress?: (text: string) => void;
}

export interface Surroundings {
  readonly terminal: Terminal;
  /** The environment's variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Resolves when somebody asks the process to end. */
  readonly asked: () => Promise<void>;
  /**
   * Aborts when somebody asks the process to end. Who has called it ends in order; a second request ends the
   * process at once.
   */
  readonly interruption: () => AbortSignal;
  /** The bytes of standard input. */
  readonly input: () => AsyncIterable<Uint8Array>;
  /** Asks at the terminal without showing the input; `undefined` without a terminal. */
  readonly askSecret: (question: string) => Promise<string | undefined>;
  /** The command ran and found a problem: status 1. */
  readonly unmet: () => void;
  /** Calls back with each key that the person presses, until `signal` aborts; absent without a terminal. */
  readonly keys?: (signal: AbortSignal, onKey: (key: string) => void) => void;
  /** Version of this package. */
  readonly version: string;
}
