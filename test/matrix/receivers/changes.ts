import type { Conduct } from "./conduct.ts";
import { honestVerifying, type Verifying } from "./verify.ts";

/** A faulty behaviour. Created for each receiver, since some remember attempts. */
export type Change = () => Partial<Conduct>;

/** Replaces steps of the conduct. */
export const always =
  (change: Partial<Conduct>): Change =>
  () =>
    change;

/** Replaces steps of verifying. */
export const verifying = (change: Partial<Verifying>): Change =>
  always({ verifying: { ...honestVerifying, ...change } });
