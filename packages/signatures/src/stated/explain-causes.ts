import type { LenientHeaders } from "./explain-headers.ts";
import { parseTimestamp } from "./headers.ts";
import type { Key } from "./keys.ts";
import type { CheckedHeaders, Refused } from "./scheme.ts";

/** Every cause that `explain` names, with what to do about it. */
export const FIXES = {
  "body-reserialized":
    "Pass the raw request body to the receiver: mount it before any body parser, and never print parsed JSON again.",
  "body-whitespace":
    "Pass the raw request body to the receiver, unchanged: mount it before any body parser.",
  "body-newline":
    "Pass the raw request body to the receiver, unchanged: mount it before any body parser.",
  "body-bom": "Do not decode the body as text: pass its bytes to the receiver.",
  "body-charset": "Do not decode the body as text: pass its bytes to the receiver.",
  "body-missing": "A body parser has consumed the body: mount the receiver before it.",
  "body-parsed":
    "Pass the raw request body to the receiver, unchanged: mount it before any body parser.",
  "body-length":
    "Read the whole body before verifying it, and check proxies for size limits and rewriting.",
  "secret-newline": "Remove the newline where the secret is stored.",
  "secret-quotes": "Remove the quotes where the secret is stored.",
  "secret-whitespace":
    "Copy the secret again from the sender's settings, without anything around it.",
  "secret-encoding":
    "Configure the same form on both sides: whsec_… for base64 that is decoded, raw:… for text that is used as it is.",
  "secret-private":
    "Configure the public key (whpk_…). The private key belongs to the sender only: replace it.",
  "secret-other":
    "Copy the secret of this endpoint, in this environment, from the sender's settings.",
  "secret-unusable":
    "Copy the secret again from the sender's settings, without anything around it.",
  "timestamp-milliseconds": "The sender must send whole seconds since the epoch.",
  "timestamp-invalid":
    "The sender must send whole seconds since the epoch, and no proxy may change them.",
  "timestamp-too-old":
    "Synchronise this machine's clock (NTP), and check for queues or proxies that delay requests. If this is a recorded attempt, explain it with the clock of its arrival.",
  "timestamp-ahead": "Synchronise the sender's and this machine's clocks (NTP).",
  "id-changed": "Look for a proxy, gateway or middleware that rewrites requests.",
  "header-missing":
    "Check that the sender uses the scheme of the receiver's profile, and that no proxy drops headers.",
  "header-joined":
    "The header must be sent once: look for a proxy or middleware that adds it again.",
  "signature-encoding": "The sender must encode the signature as the scheme says.",
  "signature-form": "Check that the sender uses the scheme that the receiver's profile names.",
  "signature-version": "Configure a secret of the kind that the sender signs with.",
} as const;

/** A reason for which an attempt is refused. */
export type Cause = keyof typeof FIXES;

/** A mistake that was undone. */
export interface Mistake {
  readonly cause: Cause;
  /** A sentence without its full stop. */
  readonly statement: string;
}

/** An explanation for a developer. A sender must not see it. */
export interface Explanation {
  readonly cause: Cause;
  /** True if the attempt verifies once the cause is undone; false for the most likely cause. */
  readonly certain: boolean;
  readonly sentence: string;
  readonly fix: string;
}

/** Explains a cause. */
export function explained(cause: Cause, sentence: string, certain = true): Explanation {
  return { cause, certain, sentence, fix: FIXES[cause] };
}

/** Names a timestamp that is not written as the scheme says. */
export function timestampForm({ timestamp, names }: LenientHeaders): Explanation | undefined {
  if (timestamp === undefined || parseTimestamp(timestamp) !== undefined) return undefined;
  const name = names.timestamp ?? names.signature;
  return /^\d{13}$/.test(timestamp)
    ? explained(
        "timestamp-milliseconds",
        `The timestamp in ${name} is in milliseconds (${timestamp}), not in seconds.`,
      )
    : explained("timestamp-invalid", `The timestamp in ${name} is not a whole number of seconds.`);
}

/** Names a timestamp that is out of the tolerance. */
export function timestampAge(
  { timestamp }: LenientHeaders,
  { now, toleranceSeconds }: { readonly now: number; readonly toleranceSeconds: number },
): Explanation | undefined {
  const ahead = Number(timestamp) - Math.floor(now / 1000);
  if (ahead < -toleranceSeconds) {
    return explained(
      "timestamp-too-old",
      `The timestamp is ${-ahead} s old, and the tolerance is ${toleranceSeconds} s.`,
    );
  }
  if (ahead > toleranceSeconds) {
    return explained(
      "timestamp-ahead",
      `The timestamp is ${ahead} s ahead of this clock, and the tolerance is ${toleranceSeconds} s.`,
    );
  }
  return undefined;
}

/** Names the most likely cause if no usual mistake explains the signature. */
export function guess(
  body: Uint8Array,
  headers: LenientHeaders,
  checked: CheckedHeaders | Refused,
  keys: { readonly kinds: readonly Key["kind"][]; readonly unusable: string | undefined },
): Explanation {
  const { names, length } = headers;
  const time = timestampForm(headers);
  if (time !== undefined) return time;
  if (!checked.ok) {
    return checked.code === "CS_SIGNATURE_ID_INVALID"
      ? explained("id-changed", `The id in ${names.id} is not a valid id.`)
      : explained(
          "signature-form",
          `The header ${names.signature} is not in the scheme's form (${checked.code}).`,
        );
  }
  const { signatures } = checked;
  if (keys.kinds.length > 0 && keys.kinds.every((kind) => signatures[kind].length === 0)) {
    return explained(
      "signature-version",
      signatures.hmac.length === 0
        ? "The attempt is signed with a private key (v1a), and only shared secrets are configured."
        : "The attempt is signed with a shared secret (v1), and only public keys are configured.",
    );
  }
  if (body.length === 0 && length !== 0) {
    return explained("body-missing", "The body is empty.", length !== undefined);
  }
  const text = Buffer.from(body).toString();
  if (text === "[object Object]") {
    return explained(
      "body-parsed",
      'The body is "[object Object]": parsed JSON was converted to text.',
    );
  }
  if (length !== undefined && length !== body.length) {
    return explained(
      "body-length",
      `The sender announced ${length} bytes (Content-Length), and ${body.length} arrived.`,
    );
  }
  if (text.includes("\uFFFD")) {
    return explained(
      "body-charset",
      "The body contains U+FFFD: its bytes were probably decoded with a wrong character set.",
      false,
    );
  }
  if (keys.unusable !== undefined) return explained("secret-unusable", `${keys.unusable}.`);
  return explained(
    "secret-other",
    "No configured secret made this signature, and no usual change of the body explains it: the secret probably belongs to another endpoint or environment, or the body's content was changed.",
    false,
  );
}
