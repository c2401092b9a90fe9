import type { InvalidMember, Validator } from "@countersign/schemas";
import type { CallName } from "./errors.ts";
import type { Outgoing } from "./exchange.ts";
import type { Read } from "./read-json-answer.ts";
import type { RefusalReading } from "./read-refusal.ts";

/** One call of the interface, ready to be sent. */
export interface Call<T> {
  readonly name: CallName;
  readonly method: Outgoing["method"];
  readonly path: string;
  /** JSON; absent if the call has none. */
  readonly body?: string;
  /** True if calling twice has the effect of calling once. Only such a call is retried. */
  readonly isIdempotent: boolean;
  /** True if the call changes something at the provider. */
  readonly changes: boolean;
  /** Secrets in the body, which no error may contain. */
  readonly secrets: readonly string[];
  /** Validates the JSON of a success. */
  readonly validate: Validator<T>;
  /** Interprets a refusal. Default: the call fails with it. */
  readonly settle?: (reading: RefusalReading) => Read<T>;
}

/** A call, or what is wrong with its request. */
export type Prepared<T> =
  | { readonly ok: true; readonly call: Call<T> }
  | { readonly ok: false; readonly errors: readonly InvalidMember[] };
