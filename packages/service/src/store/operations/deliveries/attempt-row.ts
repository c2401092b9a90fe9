/** The record of an attempt. */
export interface AttemptRow {
  readonly deliveryId: string;
  readonly number: number;
  /** Real time, in milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** The answer's status; `null` without an answer. */
  readonly status: number | null;
  /** An `AttemptErrorCode`; `null` with an answer. */
  readonly error: string | null;
  /** The first 1 KiB of the answer as text; `null` without an answer. */
  readonly answer: string | null;
}
