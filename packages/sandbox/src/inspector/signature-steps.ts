import type { Profile } from "@countersign/schemas/profiles";
import { signerOf } from "@countersign/service";
import { schemeOf } from "@countersign/signatures";
import { explain, type Explanation } from "@countersign/signatures/explain";

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
  readonly received: {
    readonly body: string | undefined;
    readonly signature: string | undefined;
  };
}

/** How a signature is verified, step by step; never the secret itself. */
export interface SignatureSteps {
  readonly scheme: string;
  readonly header: string;
  readonly signedText: string;
  readonly key: { readonly form: string; readonly bytes: number; readonly fingerprint: string };
  readonly expected: string;
  readonly received: string;
  /** Place of the first differing byte of the signatures; `null` where they are equal. */
  readonly signatureDiffersAt: number | null;
  /** Place of the first byte in which the body differs from what was sent; `null` where it is equal. */
  readonly bodyDiffersAt: number | null;
  /** The decision of a receiver, with the clock at the time of the attempt. */
  readonly verdict: string;
  /** Reasons for which a receiver refuses the attempt; empty if it verifies. */
  readonly explanations: readonly Explanation[];
}

/** Verifies step by step. */
export function signatureSteps(
  profile: Profile,
  { secret, sent, received }: SignatureOrder,
): SignatureSteps {
  const body = received.body ?? sent.body;
  const bytes = Buffer.from(body, "utf8");
  const timestamp = Math.floor(sent.startedAt / 1000);
  const header = signatureHeaderOf(profile);
  const signed = signerOf(profile)({ id: sent.id, timestamp, body: bytes }, secret) ?? {};
  const expected = signed[header] ?? "";
  const got = received.signature ?? sent.headers[header] ?? "";
  const scheme = schemeOf(profile.signature);
  const attempt = { headers: { ...sent.headers, [header]: got }, body: bytes };
  const clock = { now: sent.startedAt };
  const verdict = scheme.verify(attempt, [secret], clock);
  const explanations = explain(attempt, [secret], { scheme: profile.signature, ...clock }).map(
    (one) => ({ ...one, sentence: one.sentence.replaceAll("secrets[0]", "secretKey") }),
  );
  return {
    scheme: scheme.name,
    header,
    signedText: signedText(profile, { id: sent.id, timestamp: String(timestamp), body }),
    key: keyOf(profile, secret),
    expected,
    received: got,
    signatureDiffersAt: firstDifference(Buffer.from(expected), Buffer.from(got)),
    bodyDiffersAt: firstDifference(Buffer.from(sent.body, "utf8"), bytes),
    verdict: verdict.ok ? "genuine" : verdict.code,
    explanations,
  };
}

function keyOf({ signature }: Profile, secret: string): SignatureSteps["key"] {
  // A stored secret has signed before, so that the scheme accepts it.
  const fingerprint = schemeOf(signature).check([secret], "sign")[0]?.fingerprint ?? "";
  const isStandard = signature.scheme === "standard-webhooks";
  const prefix = (isStandard ? /^(?:whsec_|raw:)/.exec(secret)?.[0] : undefined) ?? "";
  const text = secret.slice(prefix.length);
  switch (prefix) {
    case "whsec_":
      return { form: "base64 after whsec_", bytes: Buffer.byteLength(text, "base64"), fingerprint };
    case "raw:":
      return { form: "text after raw:", bytes: text.length, fingerprint };
    default:
      return { form: "text of secretKey", bytes: text.length, fingerprint };
  }
}

function signatureHeaderOf({ signature }: Profile): string {
  return signature.scheme === "hmac"
    ? signature.description.headers.signature
    : "webhook-signature";
}

function signedText(
  { signature }: Profile,
  parts: Readonly<Record<"id" | "timestamp" | "body", string>>,
): string {
  if (signature.scheme !== "hmac") return `${parts.id}.${parts.timestamp}.${parts.body}`;
  const { signed, separator } = signature.description;
  return signed.map((part) => parts[part]).join(separator);
}

function firstDifference(one: Uint8Array, other: Uint8Array): number | null {
  const length = Math.max(one.length, other.length);
  for (let at = 0; at < length; at += 1) if (one[at] !== other[at]) return at;
  return null;
}
