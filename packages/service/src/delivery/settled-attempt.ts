import type { SettledDelivery } from "../store/operations/deliveries/settle-deliveries.ts";
import type { Attempt } from "./attempt.ts";

/** An attempt with what became of its delivery. */
export interface SettledAttempt {
  readonly attempt: Attempt;
  readonly settled: SettledDelivery;
  /** Time of the delivery's clock, in milliseconds. */
  readonly now: number;
}
