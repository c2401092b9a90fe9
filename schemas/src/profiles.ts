import { freeze } from "./freeze.ts";
import { type Profile, standard, xSignature } from "./generated/profiles.ts";

export type { Profile };

/** The built-in profiles, frozen. */
export const profiles: { readonly standard: Profile; readonly "x-signature": Profile } = freeze({
  standard,
  "x-signature": xSignature,
});
