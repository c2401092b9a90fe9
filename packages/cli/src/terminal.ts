/** Where a command's words go. */
export interface Terminal {
  /** Results, for programs. */
  out(line: string): void;
  /** Everything else, for people. */
  err(line: string): void;
}

export interface Surroundings {
  readonly terminal: Terminal;
  /** The environment's variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Resolves when somebody asks the process to end. */
  readonly asked: () => Promise<void>;
  /** Asks the person at the terminal without showing what is typed; `undefined` where nobody is there. */
  readonly askSecret: (question: string) => Promise<string | undefined>;
  /** The command ran, and what it looked at is not as it must be: status 1. */
  readonly unmet: () => void;
  /** Version of this package. */
  readonly version: string;
}
