import type { Provider } from "./provider.ts";
import type { SignatureScheme } from "./scheme.ts";
import { schemeOf } from "./scheme-of.ts";

/** The part of `schemas/providers/standard-webhooks.json` that a scheme reads. */
const STANDARD = {
  name: "standard-webhooks",
  title: "Standard Webhooks",
  secret: { where: "The sender's page of the endpoint", minBytes: 24 },
  signature: {
    algorithm: "hmac-sha256",
    key: "whsec",
    encoding: "base64",
    carrier: [
      { at: "header:webhook-signature", separator: " ", prefix: "v1," },
      { at: "header:webhook-signature", separator: " ", prefix: "v1a,", algorithm: "ed25519" },
    ],
    signed: ["id", { text: "." }, "timestamp", { text: "." }, "body"],
  },
  id: { at: "header:webhook-id" },
  timestamp: { at: "header:webhook-timestamp", unit: "s", toleranceSeconds: 300 },
} as const satisfies Provider;

/**
 * Standard Webhooks 1.0.0: `v1` (HMAC-SHA256) and `v1a` (ed25519) over `id.timestamp.body`, any mix of both in one
 * header, several secrets on either side.
 *
 * A secret is bound to its version: a `whpk_` key never verifies `v1`. Unknown versions and garbled signatures next to
 * a genuine one are skipped (Standard Webhooks, "Verifying signatures"); ids with a full stop, repeated headers and
 * other header names are refused.
 *
 * @param options `minSecretBytes`: fewest bytes of a shared secret, 1 to 64, 24 by default. A lower number admits keys
 *   that a stranger with one signed attempt can search for; use it only for a sender that has already issued them.
 * @throws {TypeError} `minSecretBytes` is not an integer from 1 to 64.
 */
export function standardWebhooks({
  minSecretBytes = 24,
}: { readonly minSecretBytes?: number } = {}): SignatureScheme {
  const secret = { ...STANDARD.secret, minBytes: minSecretBytes };
  return schemeOf({ ...STANDARD, secret });
}
