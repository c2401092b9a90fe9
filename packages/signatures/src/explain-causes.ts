import type { LenientHeaders } from "./explain-headers.ts";
import { parseTimestamp } from "./headers.ts";
import type { Key } from "./keys.ts";
import type { Refused } from "./scheme.ts";

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

/** Names a timestamp that is not written as the scheme says, or is out of the tolerance. */
export function timestampProblem(
  { timestamp, names }: LenientHeaders,
  { now, toleranceSeconds }: { readonly now: number; readonly toleranceSeconds: number },
): Explanation | undefined {
  if (timestamp === undefined) return undefined;
  const name = names.timestamp ?? names.signature;
  const seconds = parseTimestamp(timestamp);
  if (seconds === undefined) {
    return /^[1-9]\d{12}$/.test(timestamp)
      ? explained(
          "timestamp-milliseconds",
          `The timestamp in ${name} is in milliseconds (${timestamp}), not in seconds.`,
        )
      : explained(
          "timestamp-invalid",
          `The timestamp in ${name} is not a whole number of seconds.`,
        );
  }
  const ahead = seconds - Math.floor(now / 1000);
  if (ahead < -toleranceSeconds) {
    return explained(
      "timestamp-too-old",
      `The timestamp is ${-ahead} s old, and the tolerance is ${toleranceSeconds} s.`,
    );
  }
  return ahead > toleranceSeconds
    ? explained(
        "timestamp-ahead",
        `The timestamp is ${ahead} s ahead of this clock, and the tolerance is ${toleranceSeconds} s.`,
      )
    : undefined;
}

/** Names the most likely cause if no usual mistake explains the signature. */
export function guess(
  body: Uint8Array,
  headers: LenientHeaders,
  {
    refusal,
    unusable,
    kinds,
  }: {
    readonly refusal: Refused | undefined;
    readonly unusable: string | undefined;
    readonly kinds: ReadonlySet<Key["kind"]>;
  },
): Explanation {
  const { signature } = headers.names;
  // The age of an attempt that nobody is known to have signed says nothing.
  const time = timestampProblem(headers, { now: 0, toleranceSeconds: Infinity });
  if (time !== undefined) return time;
  if (refusal?.code === "CS_SIGNATURE_ID_INVALID") {
    return explained("id-changed", `The id in ${headers.names.id ?? ""} is not a valid id.`);
  }
  if (refusal !== undefined) {
    return explained(
      "signature-form",
      `The header ${signature} is not in the scheme's form (${refusal.code}).`,
    );
  }
  const isAsymmetric = /(?:^| )v1a,/.test(headers.signature);
  if (
    kinds.size === 1 &&
    kinds.has("hmac") &&
    isAsymmetric &&
    !/(?:^| )v1,/.test(headers.signature)
  ) {
    return explained(
      "signature-version",
      "The attempt is signed with a private key (v1a), and only shared secrets are configured.",
    );
  }
  if (kinds.size === 1 && kinds.has("ed25519") && !isAsymmetric) {
    return explained(
      "signature-version",
      "The attempt is signed with a shared secret (v1), and only public keys are configured.",
    );
  }
  const text = Buffer.from(body).toString("utf8");
  if (body.length === 0 && headers.length !== 0) {
    return explained("body-missing", "The body is empty.", headers.length !== undefined);
  }
  if (text === "[object Object]") {
    return explained(
      "body-parsed",
      'The body is "[object Object]": parsed JSON was converted to text.',
    );
  }
  if (headers.length !== undefined && headers.length !== body.length) {
    return explained(
      "body-length",
      `The sender announced ${headers.length} bytes (Content-Length), and ${body.length} arrived: the body was ${headers.length > body.length ? "cut" : "changed"}.`,
    );
  }
  if (text.includes("\uFFFD")) {
    return explained(
      "body-charset",
      "The body contains U+FFFD: its bytes were probably decoded with a wrong character set.",
      false,
    );
  }
  if (unusable !== undefined) return explained("secret-unusable", `${unusable}.`);
  return explained(
    "secret-other",
    "No configured secret made this signature, and no usual change of the body explains it: the secret probably belongs to another endpoint or environment, or the body's content was changed.",
    false,
  );
}
