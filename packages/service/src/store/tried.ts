import { StoreUnavailableError } from "./driver.ts";
import { failureOf } from "./postgres-failure.ts";

/** What became of one try of a call. `isLost`: its connection is of no use any more. */
export type Tried<T> = { readonly isLost: boolean } & (
  | { readonly kind: "value"; readonly value: T }
  | { readonly kind: "error"; readonly error: unknown }
  /** Undone, and safe to try again. */
  | { readonly kind: "again"; readonly cause: unknown }
);

/** A try whose statement failed with `error`, and of which the server keeps nothing. */
export function undone(error: unknown): Exclude<Tried<never>, { kind: "value" }> {
  const failure = failureOf(error);
  switch (failure) {
    case "lost":
      return { kind: "again", cause: error, isLost: true };
    case "silent":
      // Not again: the caller has waited long enough.
      return { kind: "error", error: unavailable(error), isLost: true };
    case "again":
      return { kind: "again", cause: error, isLost: false };
    case "unavailable":
      return { kind: "error", error: unavailable(error), isLost: false };
    case "statement":
      return { kind: "error", error, isLost: false };
    default:
      return failure satisfies never;
  }
}

export function unavailable(cause: unknown): StoreUnavailableError {
  return new StoreUnavailableError(`the database cannot be used: ${wordsOf(cause)}`, { cause });
}

/** An error of several addresses has no message of its own. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== "") return error.message;
  return "code" in error ? String(error.code) : error.name;
}
