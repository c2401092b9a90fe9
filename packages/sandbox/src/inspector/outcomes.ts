/** What a receiver says that it decided about one attempt. */
export interface ToldOutcome {
  readonly eventId: string | null;
  /** Kind of the outcome: `handled`, `rejected`, … */
  readonly outcome: string;
  readonly code: string | null;
  readonly durationMs: number | null;
  /** Real time at which it was told, in milliseconds. */
  readonly at: number;
}

/** Outcomes that are kept of a namespace. */
const KEPT = 1000;

/** What receivers have told of themselves, by namespace; the newest, in memory. */
export class Outcomes {
  readonly #ofMerchants = new Map<string, ToldOutcome[]>();

  add(merchantId: string, outcome: ToldOutcome): void {
    const kept = this.#ofMerchants.get(merchantId) ?? [];
    kept.push(outcome);
    if (kept.length > KEPT) kept.shift();
    this.#ofMerchants.set(merchantId, kept);
  }

  /** Forgets a namespace's. */
  clear(merchantId: string): void {
    this.#ofMerchants.delete(merchantId);
  }

  /** The oldest first. */
  list(merchantId: string): readonly ToldOutcome[] {
    return this.#ofMerchants.get(merchantId) ?? [];
  }
}
