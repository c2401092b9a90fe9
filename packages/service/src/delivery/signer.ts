import type { Profile } from "@countersign/schemas/profiles";
import { schemeOf, type Message, type Secret } from "@countersign/signatures";

/**
 * Signs one attempt with a subscription's `secretKey` as it was given. `undefined` where the secret
 * cannot sign: it was taken under another profile.
 */
export type Signer = (message: Message, secretKey: string) => Record<string, string> | undefined;

/**
 * How a profile signs attempts (S 5, rule 3).
 *
 * Of `secretKey` the scheme makes the key: Standard Webhooks decodes `whsec_…` and takes any other text
 * as it stands, the other schemes take every text as it stands.
 */
export function signerOf({ signature }: Pick<Profile, "signature">): Signer {
  const scheme = schemeOf(signature);
  const isStandard = signature.scheme === "standard-webhooks";
  return (message, secretKey) => {
    const secret: Secret =
      isStandard && !secretKey.startsWith("whsec_") ? { raw: secretKey } : secretKey;
    try {
      scheme.check([secret], "sign");
    } catch {
      return undefined;
    }
    return scheme.sign(message, [secret]);
  };
}
