import type { Profile } from "@countersign/schemas/profiles";
import { sha256Hex, signerOf } from "@countersign/service";
import { schemeOf } from "@countersign/signatures";

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
  /** What a receiver decides, with the clock of the moment in which the attempt was made. */
  readonly verdict: string;
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
  const isDecoded = isStandard(profile) && secret.startsWith("whsec_");
  const key = isDecoded ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret, "utf8");
  const scheme = schemeOf(profile.signature);
  const verdict = scheme.verify(
    { headers: { ...sent.headers, [header]: got }, body: bytes },
    [isStandard(profile) && !isDecoded ? { raw: secret } : secret],
    { now: sent.startedAt },
  );
  return {
    scheme: scheme.name,
    header,
    signedText: signedText(profile, { id: sent.id, timestamp: String(timestamp), body }),
    key: {
      form: isDecoded ? "the base64 after whsec_, decoded" : "the text of secretKey as it stands",
      bytes: key.length,
      fingerprint: sha256Hex(secret).slice(0, 12),
    },
    expected,
    received: got,
    signatureDiffersAt: firstDifference(Buffer.from(expected), Buffer.from(got)),
    bodyDiffersAt: firstDifference(Buffer.from(sent.body, "utf8"), bytes),
    verdict: verdict.ok ? "genuine" : verdict.code,
  };
}

const isStandard = ({ signature }: Profile): boolean => signature.scheme === "standard-webhooks";

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
