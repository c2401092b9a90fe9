import { eligibleAt, federalReserve, type Hold } from "@countersign/rules";
import type { Profile } from "@countersign/schemas";

/** Where a refund can be (S 3.1). */
export type Status = "PENDING" | "AUTHORIZED" | "TERMINAL_FAILED";

export interface Asked {
  readonly requestKey: string;
  readonly status: Status;
  /** Whether its payment was still processing when it was asked for. */
  readonly isEarly: boolean;
}

/** What S 3.1 promises of a payment and its refunds. */
export interface Model {
  readonly debit: "processing" | "failed" | { readonly settledAt: number };
  readonly asked: readonly Asked[];
}

/** The state that a refund which is asked for now enters. */
export function entered({ debit }: Model, now: number, hold: Hold): Status {
  if (debit === "failed") return "TERMINAL_FAILED";
  if (debit === "processing") return "PENDING";
  return now >= eligibleAt(debit.settledAt, hold) ? "AUTHORIZED" : "PENDING";
}

/** Passage of time moves what waits, and nothing else. */
export function later(model: Model, now: number, hold: Hold): readonly Asked[] {
  const status = entered(model, now, hold);
  if (status !== "AUTHORIZED") return model.asked;
  return model.asked.map((one) => (one.status === "PENDING" ? { ...one, status } : one));
}

/** What the debit's failure does to a refund. */
export function failed(one: Asked): Asked {
  return one.status === "PENDING" ? { ...one, status: "TERMINAL_FAILED" } : one;
}

/** The payment's state, for a message. */
export function words({ debit }: Model, now: number, hold: Hold): string {
  if (typeof debit === "string")
    return debit === "failed" ? "failed or is covered" : "is processing";
  const [settled, threshold] = [debit.settledAt, eligibleAt(debit.settledAt, hold)].map((at) =>
    new Date(at).toISOString(),
  );
  return `settled at ${settled} (threshold ${threshold}, now ${new Date(now).toISOString()})`;
}

/** The profile's hold, as the rules take it. */
export function holdOf({ hold: { closed, open, ...rest } }: Profile): Hold {
  return { ...rest, calendar: { ...federalReserve, closed, open } };
}
