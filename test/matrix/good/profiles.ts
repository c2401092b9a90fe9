import type { Profile } from "@countersign/schemas";
import { profiles } from "@countersign/schemas/profiles";

/** The standard profile in everything but how attempts are signed: `t=…,v1=…`, as Stripe signs. */
export const stripeProfile: Profile = {
  ...profiles.standard,
  name: "stripe-signature",
  signature: {
    scheme: "hmac",
    toleranceSeconds: 300,
    description: {
      name: "stripe-signature",
      algorithm: "sha256",
      encoding: "hex",
      headers: { signature: "Stripe-Signature" },
      form: { kind: "pairs", timestamp: "t", signature: "v1" },
      signed: ["timestamp", "body"],
      separator: ".",
    },
  },
};

/** The standard profile, with a signature over the body alone, as GitHub signs. */
export const bodyOnlyProfile: Profile = {
  ...profiles.standard,
  name: "hub-signature",
  signature: {
    scheme: "hmac",
    toleranceSeconds: 300,
    description: {
      name: "hub-signature",
      algorithm: "sha256",
      encoding: "hex",
      headers: { signature: "X-Hub-Signature-256" },
      form: { kind: "single", prefix: "sha256=" },
      signed: ["body"],
      separator: "",
    },
  },
};
