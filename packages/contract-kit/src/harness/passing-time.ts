import { setTimeout } from "node:timers/promises";
import type { Session } from "./session.ts";

/** Milliseconds of real time that a check waits where the target's clock cannot be moved. */
const MAX_REAL_MS = 10_000;
/** Milliseconds in which a delivery that must not come would have come, where no clock tells. */
const QUIET_MS = 500;

/** Whether so much time can pass in a check. */
export function canPass({ controls }: Session, ms: number): boolean {
  return controls.clock !== undefined || ms <= MAX_REAL_MS;
}

/** Lets time pass at the target: by its clock, or by waiting. What came to be due has been done. */
export async function pass({ controls }: Session, ms: number): Promise<void> {
  if (controls.clock === undefined) await setTimeout(ms);
  else await controls.clock.advance(ms);
}

/** Until what is due now has been attempted. */
export function settled(session: Session): Promise<void> {
  return pass(session, session.controls.clock === undefined ? QUIET_MS : 1);
}

/**
 * The instants, in milliseconds after a failed attempt, between which the next one must come: just before
 * its earliest and just after its latest. Whole seconds, since a clock may know no others; one of them may
 * have passed while the first attempt was settled.
 */
export function windowOf(
  stepSeconds: number,
  jitter: number,
): { readonly before: number; readonly after: number } {
  return {
    before: Math.max(0, Math.ceil(stepSeconds * (1 - jitter)) - 2) * 1000,
    after: (Math.floor(stepSeconds * (1 + jitter)) + 1) * 1000,
  };
}
