import type { Conduct } from "./conduct.ts";
import { honestReading, type Reading } from "./read-event.ts";
import { honestVerifying, type Verifying } from "./verify.ts";

/** A receiver that breaks one requirement, as a change of the honest one's conduct. */
export interface Broken {
  readonly requirement: string;
  /** As one reads it after "a receiver that". */
  readonly what: string;
  /** Other requirements that catch it too, and why they must. */
  readonly also?: Readonly<Record<string, string>>;
  readonly isSlow?: boolean;
  /** Made anew for each receiver: some keep what they have seen. */
  readonly change: () => Partial<Conduct>;
}

/** Another step of verifying, beside honest ones. */
export const verifying = (change: Partial<Verifying>): (() => Partial<Conduct>) => {
  return () => ({ verifying: { ...honestVerifying, ...change } });
};

/** Another step of reading, beside honest ones. */
export const reading = (change: Partial<Reading>): (() => Partial<Conduct>) => {
  return () => ({ reading: { ...honestReading, ...change } });
};

/** Another conduct that keeps nothing. */
export const always = (change: Partial<Conduct>): (() => Partial<Conduct>) => {
  return () => change;
};
