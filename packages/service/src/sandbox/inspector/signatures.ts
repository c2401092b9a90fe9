import type { Routes } from "../../http/app.ts";
import { integer, text } from "../../http/readers.ts";
import { SecretRefusedError } from "../../secrets/vault.ts";
import { findMadeAttempt, type MadeAttempt } from "../../store/tables/explorer.ts";
import type { Parts } from "../parts.ts";
import { refuse } from "../refusals.ts";
import { post } from "../routes/call.ts";
import { signatureSteps } from "./signature-steps.ts";

type SigningParts = Pick<Parts, "sign" | "vault" | "userAgent">;

export const signatureRoutes = (parts: SigningParts): Routes => ({
  "/sandbox/inspect/signatures": [
    // The attempt as sent. The secret is never returned.
    post(
      200,
      { deliveryId: text(64), attempt: integer(1, 1_000_000) },
      async ({ context, merchant }, named) => {
        const made = await findMadeAttempt(context.driver, merchant.id, named);
        const sent = made?.startedAt != null && sentRequest(parts, made, made.startedAt);
        if (!sent) throw refuse("DELIVERY_NOT_FOUND");
        const { secret, body, headers, timestamp } = sent;
        const request = { method: "POST", headers, body: Buffer.from(body) };
        const options = { secret, secretName: "secretKey", now: timestamp * 1000 };
        return signatureSteps(context.policy.provider, request, options);
      },
    ),
  ],
  "/sandbox/inspect/signatures/now": [
    // The attempt with a new signature, which receivers accept within their tolerance.
    post(200, { deliveryId: text(64) }, async ({ context, merchant }, { deliveryId }) => {
      const made = await findMadeAttempt(context.driver, merchant.id, { deliveryId, attempt: 1 });
      const sent = made && sentRequest(parts, made, context.clock.now());
      if (!sent) throw refuse("DELIVERY_NOT_FOUND");
      return { url: made.url, headers: sent.headers, body: sent.body };
    }),
  ],
});

interface SentRequest {
  /** Real time, in seconds. */
  readonly timestamp: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** `secretKey` of the subscription. */
  readonly secret: string;
}

/**
 * Returns an attempt as it was sent. Its headers are not stored: the same secret over the same bytes and time
 * makes the same signature. `null` if the secret cannot be decrypted or cannot sign.
 *
 * @param startedAt Real time, in milliseconds.
 */
export function sentRequest(
  { sign, vault, userAgent }: SigningParts,
  made: Pick<MadeAttempt, "id" | "payload" | "key" | "keyId" | "text">,
  startedAt: number,
): SentRequest | null {
  const { id, payload: body } = made;
  const timestamp = Math.floor(startedAt / 1000);
  try {
    const secret = vault.open(made, made.key);
    const signed = sign({ id, timestamp, body: Buffer.from(body) }, secret);
    if (signed === undefined) return null;
    const others = { "content-type": "application/json", "user-agent": userAgent };
    return { timestamp, body, secret, headers: { ...signed, ...others } };
  } catch (error) {
    if (error instanceof SecretRefusedError) return null;
    throw error;
  }
}
