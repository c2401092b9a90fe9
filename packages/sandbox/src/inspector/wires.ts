import { clearTimeout, setTimeout } from "node:timers";
import type { AttemptAnswer, Completion, Transport } from "@countersign/service/internal";
import type { Faults } from "../faults.ts";

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
/** Milliseconds after which a running attempt is announced. */
const SLOW_MS = 250;

/** Header fields and faults of the latest attempts, and the running attempts, in memory. */
export class Wires {
  readonly #faults: Faults;
  readonly #wires = new Map<string, Wire>();
  readonly #sending = new Map<string, number>();

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  /** Records the answer of an attempt. */
  add({ at, attempt: { answer, delivery, number } }: Completion): void {
    const headers = answer.kind === "answered" ? fieldsOf(answer) : null;
    const fault = this.#faults.causeOf(answer) ?? null;
    this.#wires.set(`${delivery.id} ${String(number)}`, { at, headers, fault });
    for (const key of this.#wires.keys()) {
      if (this.#wires.size <= KEPT) break;
      this.#wires.delete(key);
    }
  }

  /** Returns the facts of an attempt; `undefined` for one of an earlier run, or too old. */
  find(deliveryId: string, number: number): Wire | undefined {
    return this.#wires.get(`${deliveryId} ${String(number)}`);
  }

  /** True while an attempt of this payload to this address is running. */
  isSending(url: string | null, payload: string): boolean {
    return url !== null && this.#sending.has(`${url} ${payload}`);
  }

  /** Watches the attempts of a transport. @param onSlow Called with the merchant of one that takes long. */
  watch(inner: Transport, onSlow: (merchantId: string) => void): Transport {
    return {
      post: async (request) => {
        const key = `${request.url.href} ${Buffer.from(request.body).toString()}`;
        this.#sending.set(key, (this.#sending.get(key) ?? 0) + 1);
        const timer = setTimeout(() => onSlow(request.merchantId), SLOW_MS);
        const answer = await inner.post(request);
        clearTimeout(timer);
        const left = (this.#sending.get(key) ?? 1) - 1;
        if (left === 0) this.#sending.delete(key);
        else this.#sending.set(key, left);
        return answer;
      },
      close: () => inner.close(),
    };
  }
}

function fieldsOf({
  headers = {},
}: Extract<AttemptAnswer, { kind: "answered" }>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === "string" ? value : value.join(", ")]],
    ),
  );
}
