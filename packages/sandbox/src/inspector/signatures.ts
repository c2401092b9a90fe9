import type { Profile } from "@countersign/schemas/profiles";
import { providerOf } from "@countersign/schemas/provider-of";
import type { ProviderDocument } from "@countersign/schemas/providers";
import {
  integer,
  optional,
  secretPlace,
  SecretRefusedError,
  signerOf,
  text,
  type BodyCall,
  type EventRecord,
  type Routes,
  type SealedSecret,
  type Vault,
} from "@countersign/service/internal";
import { schemeOf } from "@countersign/signatures";
import { explain } from "@countersign/signatures/explain";
import { refuse } from "../refusals.ts";
import { post } from "../routes/call.ts";

/** Parts that sign and send attempts. */
export interface SigningParts {
  readonly profile: Profile;
  readonly vault: Vault;
  /** Value of the `user-agent` header of deliveries. */
  readonly userAgent: string;
}

export const signatureRoutes = (parts: SigningParts): Routes => ({
  "/sandbox/inspect/signatures": [
    // The attempt as sent, or with the body and signature that a receiver reported. The secret is never returned.
    post(
      200,
      {
        deliveryId: text(64),
        attempt: integer(1, 1_000_000),
        body: optional(text(262_144, { min: 0 })),
        signature: optional(text(8192, { min: 0 })),
      },
      async ({ context, merchant }, { deliveryId, attempt, ...received }) => {
        const [made] = await context.driver.query<MadeAttempt>(
          `SELECT events.id, payload, started_at AS "startedAt", subscriptions.key,
             secret AS text, secret_key_id AS "keyId"
           FROM deliveries JOIN attempts ON attempts.delivery_id = deliveries.id
           JOIN events ON events.id = deliveries.event_id
           JOIN subscriptions ON subscriptions.key = deliveries.subscription_key
           WHERE deliveries.merchant_id = $1 AND deliveries.id = $2 AND number = $3`,
          [merchant.id, deliveryId, attempt],
        );
        const sent = made && sentRequest(parts, made);
        if (!sent) throw refuse("DELIVERY_NOT_FOUND");
        return signatureSteps(parts.profile, { ...sent, received });
      },
    ),
  ],
  "/sandbox/inspect/signatures/now": [
    // The attempt with a new signature, which receivers accept within their tolerance.
    post(200, { deliveryId: text(64) }, (call, { deliveryId }) =>
      signedNow(parts, call, deliveryId),
    ),
  ],
});

/** An attempt signed now, for a shell line that resends it. */
async function signedNow(parts: SigningParts, call: BodyCall, deliveryId: string) {
  const [made] = await call.context.driver.query<Omit<MadeAttempt, "startedAt"> & { url: string }>(
    `SELECT events.id, payload, subscriptions.key, url, secret AS text, secret_key_id AS "keyId"
     FROM deliveries JOIN events ON events.id = deliveries.event_id
     JOIN subscriptions ON subscriptions.key = deliveries.subscription_key
     WHERE deliveries.merchant_id = $1 AND deliveries.id = $2`,
    [call.merchant.id, deliveryId],
  );
  const startedAt = call.context.clock.now();
  const sent = made && sentRequest(parts, { ...made, startedAt });
  if (!sent) throw refuse("DELIVERY_NOT_FOUND");
  return { url: made.url, headers: sent.headers, body: sent.body };
}

/** The values that an attempt's signature covers. */
export interface MadeAttempt extends SealedSecret, Pick<EventRecord, "id" | "payload"> {
  /** Real time, in milliseconds. */
  readonly startedAt: number;
  /** Of the subscription. */
  readonly key: string;
}

interface SentRequest {
  readonly id: string;
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
 */
export function sentRequest(
  { profile, vault, userAgent }: SigningParts,
  made: MadeAttempt,
): SentRequest | null {
  const { id, payload: body } = made;
  const timestamp = Math.floor(made.startedAt / 1000);
  try {
    const secret = vault.open(made, secretPlace(made.key));
    const signed = signerOf(profile)({ id, timestamp, body: Buffer.from(body) }, secret);
    if (signed === undefined) return null;
    const others = { "content-type": "application/json", "user-agent": userAgent };
    return { id, timestamp, body, secret, headers: { ...signed, ...others } };
  } catch (error) {
    if (error instanceof SecretRefusedError) return null;
    throw error;
  }
}

/**
 * Verifies a signature step by step, by the clock at the time of the attempt; never shows the secret itself. Differences
 * are places of bytes, `null` if both are equal.
 *
 * @param sent `received`: the attempt as a receiver reported it. Default: as sent.
 */
export function signatureSteps(
  profile: Pick<Profile, "provider">,
  {
    received,
    ...sent
  }: SentRequest & { readonly received: { readonly body?: string; readonly signature?: string } },
): object {
  const { id, timestamp, secret } = sent;
  const { body = sent.body } = received;
  const bytes = Buffer.from(body);
  const provider = providerOf(profile);
  const { carrier, signed = [], join = "" } = provider.signature;
  const header = headerOf(carrier[0]?.at);
  const expected = signerOf(profile)({ id, timestamp, body: bytes }, secret)?.[header] ?? "";
  const got = received.signature ?? sent.headers[header] ?? "";
  const scheme = schemeOf(provider);
  const attempt = { headers: { ...sent.headers, [header]: got }, body: bytes };
  const clock = { now: timestamp * 1000 };
  const verdict = scheme.verify(attempt, [secret], clock);
  return {
    scheme: scheme.name,
    header,
    signedText: signed
      .map((part) => partText(part, { id, timestamp: String(timestamp), body }))
      .join(join),
    key: keyOf(provider, secret),
    expected,
    received: got,
    signatureDiffersAt: firstDifference(Buffer.from(expected), Buffer.from(got)),
    bodyDiffersAt: firstDifference(Buffer.from(sent.body), bytes),
    verdict: verdict.ok ? "genuine" : verdict.code,
    explanations: explain(attempt, [secret], provider, clock).map((one) => ({
      ...one,
      sentence: one.sentence.replaceAll("secrets[0]", "secretKey"),
    })),
  };
}

/** The header of a place such as `header:X-Signature#v1`. */
const headerOf = (place = ""): string => /^header:([^#]+)/.exec(place)?.[1] ?? "";

type Part = NonNullable<ProviderDocument["signature"]["signed"]>[number];

function partText(part: Part, values: Readonly<Record<string, string>>): string {
  if (typeof part === "string") return values[part] ?? "";
  return "text" in part ? part.text : "";
}

function keyOf(provider: ProviderDocument, secret: string): object {
  // A stored secret has signed before, so the scheme accepts it.
  const fingerprint = schemeOf(provider).check([secret], "sign")[0]?.fingerprint ?? "";
  const isStandard = provider.signature.key === "whsec";
  const [prefix = ""] = (isStandard && /^(?:whsec_|raw:)/.exec(secret)) || [];
  const material = secret.slice(prefix.length);
  if (prefix === "whsec_") {
    const bytes = Buffer.byteLength(material, "base64");
    return { form: "base64 after whsec_", bytes, fingerprint };
  }
  const form = prefix === "raw:" ? "text after raw:" : "text of secretKey";
  return { form, bytes: material.length, fingerprint };
}

function firstDifference(one: Uint8Array, other: Uint8Array): number | null {
  const length = Math.max(one.length, other.length);
  for (let at = 0; at < length; at += 1) if (one[at] !== other[at]) return at;
  return null;
}
