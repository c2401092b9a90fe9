import { writtenTime, type Routes } from "@countersign/service/internal";
import { integer, optional, text } from "../readers.ts";
import { get, post } from "../routes/call.ts";
import type { Streams } from "../streams.ts";

/** What a receiver says that it decided about one attempt. */
interface ToldOutcome {
  readonly eventId: string | null;
  /** Kind of the outcome: `handled`, `rejected`, … */
  readonly outcome: string;
  readonly code: string | null;
  readonly durationMs: number | null;
  /** Real time at which the receiver said so. */
  readonly at: string;
}

/** Outcomes that are kept of a namespace. */
const KEPT = 1000;

/** The latest outcomes that receivers have reported, by namespace, in memory. */
export class Outcomes {
  readonly #ofMerchants = new Map<string, ToldOutcome[]>();

  add(merchantId: string, outcome: ToldOutcome): void {
    this.#ofMerchants.set(merchantId, [...this.list(merchantId), outcome].slice(-KEPT));
  }

  clear(merchantId: string): void {
    this.#ofMerchants.delete(merchantId);
  }

  /** The oldest first. */
  list(merchantId: string): readonly ToldOutcome[] {
    return this.#ofMerchants.get(merchantId) ?? [];
  }
}

export const outcomeRoutes = (outcomes: Outcomes, streams: Streams): Routes => ({
  "/sandbox/outcomes": [
    // The newest first.
    get(async ({ merchant }) => ({ outcomes: outcomes.list(merchant.id).toReversed() })),
    post(
      201,
      {
        outcome: text(32, { pattern: /^[a-z_]+$/, words: "characters of [a-z_]" }),
        eventId: optional(text(255)),
        code: optional(text(64)),
        durationMs: optional(integer(0, 86_400_000)),
      },
      async ({ context, merchant }, order) => {
        const absent = { eventId: null, code: null, durationMs: null };
        const told = { ...absent, ...order, at: writtenTime(context.clock.now()) };
        outcomes.add(merchant.id, told);
        streams.send(merchant.id, "outcome", told);
        return told;
      },
    ),
  ],
});
