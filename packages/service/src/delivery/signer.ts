import { providerOf } from "@countersign/schemas/provider-of";
import type { ProviderDocument } from "@countersign/schemas/providers";
import type { Profile } from "@countersign/schemas/profiles";
import { type Message, type Secret, type SignatureScheme, schemeOf } from "@countersign/signatures";

/** Signs one attempt with a subscription's `secretKey`. `undefined` if the secret was accepted under another profile. */
export type Signer = (message: Message, secretKey: string) => Record<string, string> | undefined;

/** Secrets whose keys stay imported: those that signed first go first. */
const MAX_LISTS = 1024;

/**
 * Returns the signer of a profile (S 5, rule 3).
 *
 * @param options `providerKeys`: the provider's own keys, `whsk_…`, that sign every attempt in addition to the
 *   subscription's secret, as `v1a`; two during an overlap, at most three, since a scheme signs with four. Default: none.
 * @throws {TypeError} A provider's key is not valid, there are more than three, or the profile's scheme uses none.
 */
export function signerOf(
  profile: Pick<Profile, "provider">,
  { providerKeys = [] }: { readonly providerKeys?: readonly string[] } = {},
): Signer {
  const provider = providerOf(profile);
  const scheme = schemeOf(provider);
  if (providerKeys.length > 0) {
    if (!signsByKeyPair(provider) || providerKeys.length > 3)
      throw new TypeError('"providerKeys" are one to three, of a provider that signs by v1a too');
    if (!providerKeys.every((key) => key.startsWith("whsk_")))
      throw new TypeError('each of "providerKeys" begins with whsk_');
    scheme.check(providerKeys, "sign");
  }
  // The lists as they were first made: the scheme finds the keys of a list that it knows at once.
  const lists = new Map<string, readonly Secret[] | undefined>();
  const listOf = (secretKey: string): readonly Secret[] | undefined => {
    if (lists.has(secretKey)) return lists.get(secretKey);
    const list = [secretKey, ...providerKeys];
    const usable = canSign(scheme, list) ? list : undefined;
    const [oldest] = lists.keys();
    if (oldest !== undefined && lists.size >= MAX_LISTS) lists.delete(oldest);
    lists.set(secretKey, usable);
    return usable;
  };
  return (message, secretKey) => {
    const list = listOf(secretKey);
    return list && scheme.sign(message, list).headers;
  };
}

/** True if the provider also signs with the private key of a pair, as v1a of Standard Webhooks. */
export const signsByKeyPair = ({ signature }: ProviderDocument): boolean =>
  signature.carrier.some(({ algorithm }) => algorithm === "ed25519");

function canSign(scheme: SignatureScheme, secrets: readonly Secret[]): boolean {
  try {
    scheme.check(secrets, "sign");
    return true;
  } catch {
    return false;
  }
}
