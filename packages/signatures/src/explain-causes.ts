/** Every cause that `explain` names, with its fix. */
export const FIXES = {
  "body-reserialized":
    "Pass the raw request body to the receiver: mount it before any body parser, and never print parsed JSON again.",
  "body-newline":
    "Pass the raw request body to the receiver: mount it before any body parser, and look for a proxy that rewrites bodies.",
  "body-charset":
    "Pass the raw request body to the receiver: mount it before any body parser, and do not decode its bytes as text.",
  "body-missing": "A body parser has consumed the body: mount the receiver before it.",
  "body-length":
    "Read the whole body before verifying it, and check proxies for size limits and rewriting.",
  "url-different":
    "Configure the URL exactly as the sender has it: scheme, host, port, path, query and trailing slash.",
  "secret-encoding":
    "Configure the secret in the form that the provider's page says: for Standard Webhooks whsec_… for base64 that is decoded, raw:… for text that is used as it is.",
  "secret-other":
    "Copy the secret of this endpoint, in this environment, from the sender's settings.",
  "secret-unusable":
    "Copy the secret again from the sender's settings, without quotes, spaces or line breaks around it.",
  "timestamp-invalid":
    "The sender must send the time as its documentation says, and no proxy may change it.",
  "timestamp-too-old":
    "Synchronise this machine's clock (NTP), and check for queues or proxies that delay requests. If this is a recorded attempt, explain it with the clock of its arrival.",
  "timestamp-ahead": "Synchronise the sender's and this machine's clocks (NTP).",
  "header-missing":
    "Check that the sender is the provider that the receiver is configured for, and that nothing on the way changes or drops headers.",
  "header-joined":
    "The header must be sent once: look for a proxy or middleware that adds it again.",
  "value-missing":
    "Check that the sender is the provider that the receiver is configured for, and that nothing on the way changes or drops headers.",
  "signature-form":
    "Check that the sender is the provider that the receiver is configured for, and that nothing on the way changes or drops headers.",
  "signature-version": "Configure a secret of the kind that the sender signs with.",
  "token-invalid":
    "Compare the token's claims with the receiver's options: issuer, URL and expiry belong to one endpoint.",
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
