import { checkHold } from "@countersign/rules";
import { validateProfile } from "@countersign/schemas/profile-validator";
import type { Profile } from "@countersign/schemas/profiles";
import { type ResolvedProfile, resolveProfile } from "@countersign/schemas/provider-of";
import { signerOf, signsByKeyPair } from "../delivery/signer.ts";

/** A valid profile and its provider, with the values that this service computes from them once. */
export interface Policy extends ResolvedProfile {
  readonly descriptor: { readonly pattern: RegExp; readonly words: string };
  /** True if the signature scheme can sign with a subscription's `secretKey` (S 5, rule 3). */
  readonly acceptsSecret: (secretKey: string) => boolean;
}

/** @throws {TypeError} The profile is not valid, or requires something that this service does not support. */
export function policyOf(profile: Profile): Policy {
  requireProfile(profile);
  checkHold(profile.hold);
  const resolved = resolveProfile(profile);
  return {
    ...resolved,
    descriptor: descriptors[profile.refund.softDescriptor],
    acceptsSecret: secretJudge(resolved),
  };
}

/** A caller's handwritten document may not be a profile, whatever its type. */
function requireProfile(profile: Profile): void {
  const validation = validateProfile(profile);
  if (validation.ok) return;
  const faults = validation.errors.map(({ pointer, message }) => `${pointer} ${message}`);
  throw new TypeError(`invalid "profile": ${faults.join("; ")}`);
}

/** The characters of a softDescriptor (S 8), and their description to follow a number. */
export const descriptors: Readonly<
  Record<Profile["refund"]["softDescriptor"], Policy["descriptor"]>
> = {
  alphanumeric: { pattern: /^[A-Za-z0-9 ]+$/, words: "letters of A-Z and a-z, digits and spaces" },
  "printable-ascii": { pattern: /^[ -~]+$/, words: "printable ASCII characters" },
};

/**
 * Accepts a secret that the scheme can sign with. Refuses keys of an asymmetric pair: the merchant would
 * hand over the private key, or wait for signatures that no one can make with the public one.
 */
function secretJudge({ provider, limits }: ResolvedProfile): Policy["acceptsSecret"] {
  const sign = signerOf({ provider });
  const { minimum, maximum } = limits.secretKey;
  const probe = { id: "probe", timestamp: 0, body: new Uint8Array() };
  return (secretKey) => {
    if (secretKey.length < minimum || secretKey.length > maximum) return false;
    if (signsByKeyPair(provider) && /^wh[sp]k_/.test(secretKey)) return false;
    return sign(probe, secretKey) !== undefined;
  };
}

/** The status of a code if the profile changes that of the registry. */
export function statusUnder(statuses: Profile["statuses"], code: string): number | undefined {
  const { business, duplicateKey, forbidden } = statuses;
  const byCode: Readonly<Record<string, number>> = {
    DUPLICATE_REQUEST_KEY: duplicateKey,
    REFUND_AMOUNT_EXCEEDS_REMAINING: business,
    PAYMENT_ALREADY_REFUNDED: business,
    PAYMENT_NOT_REFUNDABLE: business,
    SUBSCRIPTION_LIMIT_REACHED: business,
    INSUFFICIENT_SCOPE: forbidden,
  };
  return byCode[code];
}
