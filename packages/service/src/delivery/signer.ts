import type { Profile } from "@countersign/schemas/profiles";
import { schemeOf, type Message, type Secret, type SignatureScheme } from "@countersign/signatures";

/**
 * Signs one attempt with a subscription's `secretKey` as it was given. `undefined` where the secret
 * cannot sign: it was taken under another profile.
 */
export type Signer = (message: Message, secretKey: string) => Record<string, string> | undefined;

/** Secrets whose keys are kept imported: those that signed first go first. */
const MAX_LISTS = 1024;
/** Beside a subscription's secret: a scheme signs with four at most. */
const MAX_PROVIDER_KEYS = 3;

export interface SignerOptions {
  /**
   * The provider's own keys, `whsk_…`, that sign every attempt beside the subscription's secret, as `v1a`.
   * During an overlap there are two, the old and the new one; at most three. Default: none.
   */
  readonly providerKeys?: readonly string[];
}

/**
 * How a profile signs attempts (S 5, rule 3).
 *
 * The scheme reads `secretKey` by the rule that the receiver and `countersign send` follow too.
 *
 * @throws {TypeError} A provider's key is none, there are more than three, or the profile's scheme has none.
 */
export function signerOf(
  { signature }: Pick<Profile, "signature">,
  { providerKeys = [] }: SignerOptions = {},
): Signer {
  const scheme = schemeOf(signature);
  const isStandard = signature.scheme === "standard-webhooks";
  refuseUnusable(providerKeys, { scheme, isStandard });
  // The lists as they were first made: the scheme finds the keys of a list that it knows at once.
  const lists = new Map<string, readonly Secret[] | undefined>();
  const listOf = (secretKey: string): readonly Secret[] | undefined => {
    if (lists.has(secretKey)) return lists.get(secretKey);
    const list = [secretKey, ...providerKeys];
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

function refuseUnusable(
  providerKeys: readonly string[],
  { scheme, isStandard }: { readonly scheme: SignatureScheme; readonly isStandard: boolean },
): void {
  if (providerKeys.length === 0) return;
  if (!isStandard || providerKeys.length > MAX_PROVIDER_KEYS) {
    throw new TypeError('"providerKeys" are one to three, of a profile of Standard Webhooks');
  }
  if (!providerKeys.every((key) => key.startsWith("whsk_"))) {
    throw new TypeError('each of "providerKeys" begins with whsk_');
  }
  scheme.check(providerKeys, "sign");
}

function canSign(scheme: SignatureScheme, secrets: readonly Secret[]): boolean {
  try {
    scheme.check(secrets, "sign");
    return true;
  } catch {
    return false;
  }
}
