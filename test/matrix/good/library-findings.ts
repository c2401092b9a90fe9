import type { TrueFinding } from "../good.ts";

// Of the versions that the workspace's lockfile has. Secrets and signatures are shown as names.

/** `standardwebhooks` and `svix` read headers alike. */
export const standardWebhooksFindings: readonly TrueFinding[] = [
  {
    requirement: "R-VERIFY-TAMPERED",
    why: "the timestamp is read by `parseInt` and printed anew before it is verified, so that what stands behind the number, before it, or beside it is anybody's",
    bytes:
      "signed: 1795305600.BODY; sent: webhook-timestamp: 1795305600a (also 1795305600.0, 01795305600, +1795305600, 1795305600e0)",
  },
  {
    requirement: "R-HEADER-ONCE",
    why: "Node.js joins a header that stands twice with a comma and a space, and the library splits the signatures at spaces: a signature of anybody's stands beside the genuine one; of a timestamp that stands twice the first one is read",
    bytes:
      "webhook-signature: v1,GENUINE and webhook-signature: v1,FOREIGN arrive as `v1,GENUINE, v1,FOREIGN`",
  },
];

export const stripeFindings: readonly TrueFinding[] = [
  {
    requirement: "R-VERIFY-TAMPERED",
    why: "the timestamp is read by `parseInt` and printed anew before it is verified",
    bytes:
      "signed: 1795305600.BODY; sent: Stripe-Signature: t=1795305600a,v1=HEX (also 1795305600.0, 01795305600, +1795305600, 1795305600e0)",
  },
  {
    requirement: "R-VERIFY-STALE",
    why: "only the past is bounded: a signature for a time to come, ten years from now too, is taken from today on",
    bytes: "Stripe-Signature: t=2110665900,v1=HEX, ten years ahead",
  },
  {
    requirement: "R-HEADER-ONCE",
    why: "Node.js joins a header that stands twice with a comma and a space, which is the library's own separator: the parts of both are read as one",
    bytes:
      "Stripe-Signature: t=1795305600,v1=GENUINE and Stripe-Signature: t=1795305600,v1=FOREIGN arrive as one header",
  },
];
