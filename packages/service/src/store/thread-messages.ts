import { StoreUnavailableError } from "./driver.ts";

/** What a thread is given at its start. */
export interface ThreadStart {
  /** Path of the database file, which exists. */
  readonly file: string;
  readonly busyMs: number;
}

export interface ThreadCall {
  readonly id: number;
  /** Of the operation. */
  readonly name: string;
  readonly input: unknown;
}

export type ThreadAnswer = { readonly id: number } & (
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: CopiedError }
);

/** An error as it crosses threads; copied as it is, it would lose its class. */
export interface CopiedError {
  readonly message: string;
  readonly stack: string | undefined;
  /** Of a `StoreUnavailableError`. */
  readonly outcome: StoreUnavailableError["outcome"] | undefined;
  readonly cause: CopiedError | undefined;
}

export function copyOfError(error: unknown): CopiedError {
  if (!(error instanceof Error)) {
    return { message: String(error), stack: undefined, outcome: undefined, cause: undefined };
  }
  return {
    message: error.message,
    stack: error.stack,
    outcome: error instanceof StoreUnavailableError ? error.outcome : undefined,
    cause: error.cause === undefined ? undefined : copyOfError(error.cause),
  };
}

export function errorOfCopy({ message, stack, outcome, cause }: CopiedError): Error {
  const options = cause === undefined ? {} : { cause: errorOfCopy(cause) };
  const error =
    outcome === undefined
      ? new Error(message, options)
      : new StoreUnavailableError(message, { outcome, ...options });
  if (stack !== undefined) error.stack = stack;
  return error;
}
