import { createHmac, timingSafeEqual } from "node:crypto";
import { type Arrived, valuesOf } from "./http.ts";

/** The steps of verifying Standard Webhooks `v1`, each of which a fault may replace. */
export type Verifying = Readonly<typeof honestVerifying>;

interface SignedParts {
  readonly id: string;
  readonly timestamp: string;
  readonly body: Buffer;
}

export type Reason = "missing" | "garbled" | "mismatch" | "time";

export const honestVerifying = {
  /** A header's only value; undefined if it is absent or repeated. */
  header: (arrived: Arrived, name: string): string | undefined => {
    const values = valuesOf(arrived, name);
    return values.length === 1 ? values[0] : undefined;
  },
  keys: (secrets: readonly string[]): readonly Buffer[] =>
    secrets.map((secret) => Buffer.from(secret.replace(/^whsec_/, ""), "base64")),
  /** The signatures of the header that this receiver can judge, as they are written. */
  candidates: (header: string): readonly string[] =>
    header
      .split(" ")
      .filter((token) => token.startsWith("v1,"))
      .map((token) => token.slice(3)),
  signedText: ({ id, timestamp, body }: SignedParts): Buffer =>
    Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]),
  /** Compares the digest under one key with a candidate. */
  isSame(digest: Buffer, given: string): boolean {
    const bytes = Buffer.from(given, "base64");
    const isCanonical = bytes.toString("base64") === given;
    return isCanonical && bytes.length === digest.length && timingSafeEqual(bytes, digest);
  },
  /** Both in seconds. */
  isTimely: ({ sent, now }: { sent: number; now: number }) => Math.abs(sent - now) <= 300,
};

/** Returns the reason why an attempt is refused, or undefined if it is genuine. */
export function verify(
  arrived: Arrived,
  { secrets, steps }: { readonly secrets: readonly string[]; readonly steps: Verifying },
): Reason | undefined {
  const id = steps.header(arrived, "webhook-id");
  const timestamp = steps.header(arrived, "webhook-timestamp");
  const header = steps.header(arrived, "webhook-signature");
  if (id === undefined || timestamp === undefined || header === undefined) return "missing";
  if (!/^[A-Za-z0-9_-]{1,256}$/.test(id) || !/^(0|[1-9]\d{0,11})$/.test(timestamp))
    return "garbled";

  const text = steps.signedText({ id, timestamp, body: arrived.body });
  const candidates = steps.candidates(header);
  const isGenuine = steps
    .keys(secrets)
    .map((key) => createHmac("sha256", key).update(text).digest())
    .some((digest) => candidates.some((given) => steps.isSame(digest, given)));
  if (!isGenuine) return "mismatch";
  return steps.isTimely({ sent: Number(timestamp), now: Math.floor(Date.now() / 1000) })
    ? undefined
    : "time";
}
