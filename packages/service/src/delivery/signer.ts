import type { Profile } from "@countersign/schemas/profiles";
import { schemeOf, type Message, type Secret, type SignatureScheme } from "@countersign/signatures";

/**
 * Signs one attempt with a subscription's `secretKey` as it was given. `undefined` where the secret
 * cannot sign: it was taken under another profile.
 */
export type Signer = (message: Message, secretKey: string) => Record<string, string> | undefined;

/** Secrets whose keys are kept imported: those that signed first go first. */
const MAX_LISTS = 1024;

/**
 * How a profile signs attempts (S 5, rule 3).
 *
 * Of `secretKey` the scheme makes the key: Standard Webhooks decodes `whsec_…` and takes any other text
 * as it stands, the other schemes take every text as it stands.
 */
export function signerOf({ signature }: Pick<Profile, "signature">): Signer {
  const scheme = schemeOf(signature);
  const isStandard = signature.scheme === "standard-webhooks";
  // The lists as they were first made: the scheme finds the keys of a list that it knows at once.
  const lists = new Map<string, readonly Secret[] | undefined>();
  const listOf = (secretKey: string): readonly Secret[] | undefined => {
    if (lists.has(secretKey)) return lists.get(secretKey);
    const list = [isStandard && !secretKey.startsWith("whsec_") ? { raw: secretKey } : secretKey];
    const usable = canSign(scheme, list) ? list : undefined;
    for (const oldest of lists.keys()) {
      if (lists.size < MAX_LISTS) break;
      lists.delete(oldest);
    }
    lists.set(secretKey, usable);
    return usable;
  };
  return (message, secretKey) => {
    const list = listOf(secretKey);
    return list && scheme.sign(message, list);
  };
}

function canSign(scheme: SignatureScheme, secrets: readonly Secret[]): boolean {
  try {
    scheme.check(secrets, "sign");
    return true;
  } catch {
    return false;
  }
}
