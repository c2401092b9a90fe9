import { federalReserve } from "../src/business-days.ts";
import type { Hold } from "../src/hold.ts";

/** The hold of S 3.1 and S 8, as the default profile reads it. */
export const standardHold: Hold = {
  businessDays: 3,
  mode: "date",
  timeZone: "America/New_York",
  cutoff: "00:00",
  calendar: federalReserve,
};

export function ms(time: string): number {
  return Date.parse(time);
}
