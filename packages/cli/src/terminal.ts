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
  /** Version of this package. */
  readonly version: string;
}
