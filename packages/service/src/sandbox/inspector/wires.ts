import type { DecidedAttempt } from "../../delivery/types.ts";
import type { FaultyAnswer } from "../faults.ts";

/** Facts of an attempt that its record lacks. */
export interface Wire {
  /** Sandbox time at which the attempt ended, in milliseconds. */
  readonly at: number;
  /** Header fields of the answer; `null` without an answer. */
  readonly headers: Readonly<Record<string, string>> | null;
  /** The fault that produced the answer; `null` if the receiver did. */
  readonly fault: string | null;
}

/** Maximum number of attempts that are kept, over all namespaces. */
const KEPT = 5000;

/** Header fields and faults of the latest attempts, in memory. */
export class Wires {
  readonly #wires = new Map<string, Wire>();

  /** Records the answer of an attempt. */
  add({ at, attempt: { answer, delivery, number } }: DecidedAttempt): void {
    const headers = answer.kind === "answered" ? fieldsOf(answer.headers) : null;
    const { fault }: FaultyAnswer = answer;
    this.#wires.set(`${delivery.id} ${number}`, { at, headers, fault: fault ?? null });
    const [oldest = ""] = this.#wires.keys();
    if (this.#wires.size > KEPT) this.#wires.delete(oldest);
  }

  /** Returns the facts of an attempt; `undefined` for one of an earlier run, or too old. */
  find(deliveryId: string, number: number): Wire | undefined {
    return this.#wires.get(`${deliveryId} ${number}`);
  }
}

const fieldsOf = (
  headers: Readonly<Record<string, string | readonly string[] | undefined>> = {},
): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value = ""]) => [name, String(value)]));
