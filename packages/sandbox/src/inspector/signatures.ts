import type { Profile } from "@countersign/schemas/profiles";
import {
  listAttempts,
  listDeliveries,
  SecretRefusedError,
  secretPlace,
  signerOf,
  type EventRecord,
  type Queryable,
  type Routes,
  type SealedSecret,
  type Vault,
} from "@countersign/service";
import { schemeOf } from "@countersign/signatures";
import { explain, type Explanation } from "@countersign/signatures/explain";
import { integer, optional, text } from "../readers.ts";
import { refuse } from "../refusals.ts";
import { post } from "../routes/call.ts";

/** How attempts are signed and sent. */
export interface SigningParts {
  readonly profile: Profile;
  readonly vault: Vault;
  /** Value of the `user-agent` header of deliveries. */
  readonly userAgent: string;
}

export const signatureRoutes = (parts: SigningParts): Routes => ({
  "/sandbox/inspect/signatures": [
    // As sent, or with the body and the signature that a receiver says it got. The secret stays here.
    post(
      200,
      {
        deliveryId: text(64),
        attempt: integer(1, 1_000_000),
        body: optional(text(262_144, { min: 0 })),
        signature: optional(text(8192, { min: 0 })),
      },
      async (
        { context: { driver }, merchant },
        { deliveryId: id, attempt: number, ...received },
      ) => {
        const [delivery] = await listDeliveries(driver, { merchantId: merchant.id, id, limit: 1 });
        if (delivery === undefined) throw refuse("DELIVERY_NOT_FOUND");
        const attempts = await listAttempts(driver, [id]);
        const attempt = attempts.find((one) => one.number === number);
        const subscriptions = await keyedSubscriptions(driver, [delivery.subscriptionKey]);
        const subscription = subscriptions.get(delivery.subscriptionKey);
        const [event] = await driver.query<Pick<EventRecord, "id" | "payload">>(
          "SELECT id, payload FROM events WHERE id = $1",
          [delivery.eventId],
        );
        if (!attempt || !subscription || !event) throw refuse("DELIVERY_NOT_FOUND");
        const { startedAt } = attempt;
        const sent = sentRequest(parts, subscription, { ...event, startedAt });
        if (sent === null) throw refuse("DELIVERY_NOT_FOUND");
        const { secret, headers } = sent;
        return signatureSteps(parts.profile, {
          secret,
          sent: { id: event.id, startedAt, headers, body: event.payload },
          received,
        });
      },
    ),
  ],
});

/** A subscription with its sealed secret. */
export interface KeyedSubscription extends SealedSecret {
  readonly key: string;
  readonly url: string;
}

/** Returns the subscriptions of these keys, by key. */
export async function keyedSubscriptions(
  db: Queryable,
  keys: readonly string[],
): Promise<ReadonlyMap<string, KeyedSubscription>> {
  if (keys.length === 0) return new Map();
  const places = keys.map((_, index) => `$${String(index + 1)}`).join(", ");
  const rows = await db.query<KeyedSubscription>(
    `SELECT key, url, secret AS text, secret_key_id AS "keyId" FROM subscriptions WHERE key IN (${places})`,
    keys,
  );
  return new Map(rows.map((row) => [row.key, row]));
}

/**
 * Returns the headers that an attempt carried, and the subscription's secret in the clear. They are not stored:
 * the same secret over the same bytes and time makes the same signature. `null` if the secret cannot be
 * decrypted or cannot sign.
 *
 * @param attempt `startedAt`: real time, in milliseconds.
 */
export function sentRequest(
  { profile, vault, userAgent }: SigningParts,
  subscription: KeyedSubscription,
  attempt: Pick<EventRecord, "id" | "payload"> & { readonly startedAt: number },
): { readonly secret: string; readonly headers: Readonly<Record<string, string>> } | null {
  try {
    const secret = vault.open(subscription, secretPlace(subscription.key));
    const timestamp = Math.floor(attempt.startedAt / 1000);
    const message = { id: attempt.id, timestamp, body: Buffer.from(attempt.payload, "utf8") };
    const signed = signerOf(profile)(message, secret);
    if (signed === undefined) return null;
    const type = "application/json";
    return { secret, headers: { ...signed, "content-type": type, "user-agent": userAgent } };
  } catch (error) {
    if (error instanceof SecretRefusedError) return null;
    throw error;
  }
}

export interface SignatureOrder {
  /** `secretKey` of the subscription. */
  readonly secret: string;
  readonly sent: {
    readonly id: string;
    /** Real time, in milliseconds. */
    readonly startedAt: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  /** What a receiver says it got. Default: what was sent. */
  readonly received: { readonly body?: string; readonly signature?: string };
}

/** The steps of a verification; never the secret itself. */
export interface SignatureSteps {
  readonly scheme: string;
  readonly header: string;
  readonly signedText: string;
  readonly key: { readonly form: string; readonly bytes: number; readonly fingerprint: string };
  readonly expected: string;
  readonly received: string;
  /** Place of the first differing byte of the signatures; `null` if they are equal. */
  readonly signatureDiffersAt: number | null;
  /** Place of the first byte in which the body differs from what was sent; `null` if it is equal. */
  readonly bodyDiffersAt: number | null;
  /** The decision of a receiver, with the clock at the time of the attempt. */
  readonly verdict: string;
  /** Reasons for which a receiver refuses the attempt; empty if it verifies. */
  readonly explanations: readonly Explanation[];
}

/** Verifies a signature step by step. */
export function signatureSteps(
  { signature }: Pick<Profile, "signature">,
  { secret, sent, received }: SignatureOrder,
): SignatureSteps {
  const { body = sent.body } = received;
  const bytes = Buffer.from(body, "utf8");
  const timestamp = Math.floor(sent.startedAt / 1000);
  const hmac = signature.scheme === "hmac" ? signature.description : undefined;
  const header = hmac?.headers.signature ?? "webhook-signature";
  const parts = { id: sent.id, timestamp: String(timestamp), body };
  const { signed = ["id", "timestamp", "body"] as const, separator = "." } = hmac ?? {};
  const made = signerOf({ signature })({ id: sent.id, timestamp, body: bytes }, secret) ?? {};
  const expected = made[header] ?? "";
  const got = received.signature ?? sent.headers[header] ?? "";
  const scheme = schemeOf(signature);
  const attempt = { headers: { ...sent.headers, [header]: got }, body: bytes };
  const clock = { now: sent.startedAt };
  const verdict = scheme.verify(attempt, [secret], clock);
  return {
    scheme: scheme.name,
    header,
    signedText: signed.map((part) => parts[part]).join(separator),
    key: keyOf(signature, secret),
    expected,
    received: got,
    signatureDiffersAt: firstDifference(Buffer.from(expected), Buffer.from(got)),
    bodyDiffersAt: firstDifference(Buffer.from(sent.body, "utf8"), bytes),
    verdict: verdict.ok ? "genuine" : verdict.code,
    explanations: explain(attempt, [secret], { scheme: signature, ...clock }).map((one) => ({
      ...one,
      sentence: one.sentence.replaceAll("secrets[0]", "secretKey"),
    })),
  };
}

function keyOf(signature: Profile["signature"], secret: string): SignatureSteps["key"] {
  // A stored secret has signed before, so the scheme accepts it.
  const fingerprint = schemeOf(signature).check([secret], "sign")[0]?.fingerprint ?? "";
  const isStandard = signature.scheme === "standard-webhooks";
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
