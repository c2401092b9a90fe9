import type { ProviderDocument } from "@countersign/schemas/providers";
import {
  type Attempt as SignedAttempt,
  schemeOf,
  type SignatureScheme,
} from "@countersign/signatures";
import { failed, type Outcome, rejected, type Signer } from "./outcome.ts";
import type { Credentials, ReceiverParts } from "./parts.ts";

/** The proof of a genuine signature. */
export interface Verified {
  readonly tenant: string;
  /** Returns the HMAC of a text that the sender asks for, as some challenges do. */
  readonly sign: (text: string) => string;
  readonly signer: Signer;
}

/** Describes the secret of an index by its label, if it has one. */
export function signerOf(secretIndex: number, labels: Credentials["labels"]): Signer {
  const label = labels[secretIndex];
  return label === undefined ? { secretIndex } : { secretIndex, secretLabel: label };
}

/** The secrets and the key that verify an attempt, and its time. */
interface Means {
  readonly credentials: Credentials;
  /** The key that the attempt names. */
  readonly key: string | undefined;
  /** When the attempt arrived, in milliseconds since 1970. */
  readonly now: number;
}

/** Verifies the signature. */
export function verify(
  attempt: SignedAttempt,
  { credentials: { tenant, secrets, labels, decoys }, key, now }: Means,
  { scheme, failures, claims, provider }: ReceiverParts,
): Verified | Outcome {
  failures.hide(secrets);
  try {
    const verification = scheme.verify(attempt, secrets, { now, key, claims, decoys });
    if (decoys && secrets.length === 0) return rejected("CS_TENANT_UNKNOWN");
    if (!verification.ok) return rejected(verification.code, { facts: verification.facts });
    const { secretIndex } = verification;
    const signer = signerOf(secretIndex, labels);
    const sign = (text: string): string => {
      const secret = secrets.slice(secretIndex, secretIndex + 1);
      const body = new TextEncoder().encode(text);
      return challengeScheme(provider).sign({ body }, secret).headers["x"] ?? "";
    };
    return { tenant, sign, signer };
  } catch (error) {
    // The merchant's own look-up returned something unusable.
    return failed(key === undefined ? "CS_SECRETS_UNAVAILABLE" : "CS_KEY_UNAVAILABLE", error);
  }
}

/** Adds the causes of a refused signature, with the option `explain`. */
export async function explained(
  outcome: Outcome,
  attempt: SignedAttempt,
  { credentials: { secrets }, now }: Means,
  { explain }: ReceiverParts,
): Promise<Outcome> {
  if (outcome.kind !== "rejected" || secrets.length === 0) return outcome;
  const explanation = await explain?.(attempt, secrets, now);
  return explanation === undefined
    ? outcome
    : { ...outcome, facts: { ...outcome.facts, explanation } };
}

/** Challenges are answered with HMAC-SHA256 in hexadecimal, whatever the sender's own signature covers. */
const challengeScheme = ({ name, title, signature }: ProviderDocument): SignatureScheme =>
  schemeOf({
    name,
    title,
    signature: {
      algorithm: "hmac-sha256",
      ...(signature.key !== undefined && { key: signature.key }),
      encoding: "hex",
      carrier: [{ at: "header:x" }],
      signed: ["body"],
    },
  });

/** The URL as the sender knows it: the configured one with the request's query. `Host` is a stranger's choice. */
export function signedUrl(
  url: string | undefined,
  { publicUrl }: Pick<ReceiverParts, "publicUrl">,
): string | undefined {
  if (publicUrl === undefined) return url;
  const query = url?.indexOf("?") ?? -1;
  return query === -1 ? publicUrl : `${publicUrl}${(url ?? "").slice(query)}`;
}
