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
  /** JSON; absent where the call has none. */
  readonly body?: string;
  /** Whether two of it do what one does: only then is it tried again. */
  readonly isIdempotent: boolean;
  /** Whether it does anything at all. */
  readonly changes: boolean;
  /** What the body holds that no error may. */
  readonly secrets: readonly string[];
  /** Judges the JSON of a success. */
  readonly validate: Validator<T>;
  /** What a refusal means to this call. Default: that it is refused. */
  readonly settle?: (reading: RefusalReading) => Read<T>;
}

/** A call, or what is wrong with its request. */
export type Prepared<T> =
  | { readonly ok: true; readonly call: Call<T> }
  | { readonly ok: false; readonly errors: readonly InvalidMember[] };
