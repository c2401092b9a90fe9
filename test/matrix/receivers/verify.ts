import { createHmac, timingSafeEqual } from "node:crypto";
import { type Arrived, valuesOf } from "./http.ts";

/** The steps of verifying Standard Webhooks `v1`, each of which a fault may replace. */
export interface Verifying {
  /** A header's one value; undefined where it is absent or repeated. */
  readonly header: (arrived: Arrived, name: string) => string | undefined;
  /** The keys of the secrets, all of which are tried. */
  readonly keys: (secrets: readonly string[]) => readonly Buffer[];
  readonly isId: (text: string) => boolean;
  /** Seconds; undefined where the text is no timestamp. */
  readonly seconds: (text: string) => number | undefined;
  /** The signatures of the header that this receiver can judge, as they are written. */
  readonly candidates: (header: string) => readonly string[];
  readonly signedText: (parts: SignedParts) => Buffer;
  /** @param digest What the key makes of the signed text. @param given A candidate. */
  readonly isSame: (digest: Buffer, given: string) => boolean;
  /** Both in seconds. */
  readonly isTimely: (times: { readonly sent: number; readonly now: number }) => boolean;
}

interface SignedParts {
  readonly id: string;
  readonly timestamp: string;
  readonly body: Buffer;
}

/** Why an attempt is not believed. */
export type Reason = "missing" | "garbled" | "mismatch" | "time";

export const honestVerifying: Verifying = {
  header(arrived, name) {
    const values = valuesOf(arrived, name);
    return values.length === 1 ? values[0] : undefined;
  },
  keys: (secrets) => secrets.map((secret) => Buffer.from(secret.replace(/^whsec_/, ""), "base64")),
  isId: (text) => /^[A-Za-z0-9_-]{1,256}$/.test(text),
  seconds: (text) => (/^(0|[1-9]\d{0,11})$/.test(text) ? Number(text) : undefined),
  candidates: (header) =>
    header
      .split(" ")
      .filter((token) => token.startsWith("v1,"))
      .map((token) => token.slice(3)),
  signedText: ({ id, timestamp, body }) =>
    Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]),
  isSame(digest, given) {
    const bytes = Buffer.from(given, "base64");
    const isCanonical = bytes.toString("base64") === given;
    return isCanonical && bytes.length === digest.length && timingSafeEqual(bytes, digest);
  },
  isTimely: ({ sent, now }) => Math.abs(sent - now) <= 300,
};

/** The reason why an attempt is refused, or undefined where it is genuine. */
export function verify(
  arrived: Arrived,
  { secrets, steps }: { readonly secrets: readonly string[]; readonly steps: Verifying },
): Reason | undefined {
  const id = steps.header(arrived, "webhook-id");
  const timestamp = steps.header(arrived, "webhook-timestamp");
  const header = steps.header(arrived, "webhook-signature");
  if (id === undefined || timestamp === undefined || header === undefined) return "missing";
  const sent = steps.seconds(timestamp);
  if (!steps.isId(id) || sent === undefined) return "garbled";

  const text = steps.signedText({ id, timestamp, body: arrived.body });
  const candidates = steps.candidates(header);
  const isGenuine = steps
    .keys(secrets)
    .map((key) => createHmac("sha256", key).update(text).digest())
    .some((digest) => candidates.some((given) => steps.isSame(digest, given)));
  if (!isGenuine) return "mismatch";
  return steps.isTimely({ sent, now: Math.floor(Date.now() / 1000) }) ? undefined : "time";
}
