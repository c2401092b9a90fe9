import fc from "fast-check";
import type { Hold } from "../src/hold.ts";
import type { Debit } from "../src/refund.ts";

/** The hold of S 3.1 and S 8, as the default profile reads it. */
export const standardHold: Hold = {
  businessDays: 3,
  timeZone: "America/New_York",
  cutoff: "00:00",
  closed: [],
  open: [],
};

export function ms(time: string): number {
  return Date.parse(time);
}

/** Instants of one autumn: settlements and thresholds often fall together. */
export const instants: fc.Arbitrary<number> = fc
  .integer({ min: 0, max: 24 * 40 })
  .map((hours) => ms("2026-11-01T05:00:00.000Z") + hours * 3_600_000);

export const debits: fc.Arbitrary<Debit> = fc.oneof(
  fc.constant<Debit>({ state: "processing" }),
  fc.constant<Debit>({ state: "failed" }),
  fc.constant<Debit>({ state: "covered" }),
  instants.map((settledAt): Debit => ({ state: "settled", settledAt })),
);
