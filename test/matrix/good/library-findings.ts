import type { TrueFinding } from "../good.ts";

// Of the versions that the workspace's lockfile has. GENUINE is the signature over `ID.1795305600.BODY`, or
// over `1795305600.BODY`, by the receiver's own secret; FOREIGN is anybody's.

/** `standardwebhooks` and `svix` read headers alike. */
export const standardWebhooksFindings: readonly TrueFinding[] = [
  {
    requirement: "R-VERIFY-TAMPERED",
    why: "the timestamp is read by `parseInt` and printed anew before it is verified, so that what stands before and behind its digits is anybody's. 01795305600, +1795305600, 1795305600.0 and 1795305600e0 pass too.",
    bytes: ["webhook-id: ID", "webhook-timestamp: 1795305600a", "webhook-signature: v1,GENUINE"],
  },
  {
    requirement: "R-HEADER-ONCE",
    why: "Node.js joins a header that stands twice with a comma and a space, and signatures are split at spaces: anybody's stands beside the genuine one, in either order. Of a timestamp that stands twice the first one is read.",
    bytes: [
      "webhook-id: ID",
      "webhook-timestamp: 1795305600",
      "webhook-signature: v1,FOREIGN",
      "webhook-signature: v1,GENUINE",
    ],
  },
];

export const stripeFindings: readonly TrueFinding[] = [
  {
    requirement: "R-VERIFY-TAMPERED",
    why: "the timestamp is read by `parseInt` and printed anew before it is verified. 01795305600, +1795305600, 1795305600.0 and 1795305600e0 pass too.",
    bytes: ["Stripe-Signature: t=1795305600a,v1=GENUINE"],
  },
  {
    requirement: "R-VERIFY-STALE",
    why: "only the past is bounded: at 1795305600 a genuine signature of a time ten years ahead passes, and then for ten years.",
    bytes: ["Stripe-Signature: t=2110665900,v1=GENUINE"],
  },
  {
    requirement: "R-HEADER-ONCE",
    why: "Node.js joins a header that stands twice with a comma and a space, and parts are split at commas: those of both headers are read as one's.",
    bytes: [
      "Stripe-Signature: t=1795305600,v1=GENUINE",
      "Stripe-Signature: t=1795305600,v1=FOREIGN",
    ],
  },
];
