import { receiverTarget, type ReceiverTarget } from "@countersign/contract-kit";
import type { Profile } from "@countersign/schemas";
import { profiles } from "@countersign/schemas/profiles";
import { type Conduct, secrets } from "../receivers/conduct.ts";
import { serve } from "../receivers/serve.ts";
import type { Good } from "../good.ts";
import { onOctokit, onStandardWebhooks, onStripe, onSvix } from "./libraries.ts";
import { standardWebhooksFindings, stripeFindings } from "./library-findings.ts";
import { bodyOnlyProfile, stripeProfile } from "./profiles.ts";

/** The receiver by hand, whose faults the matrix is made of, with none of them. */
export function byHand(
  change: Partial<Conduct> = {},
  profile: Profile = profiles.standard,
): Good<ReceiverTarget>["open"] {
  return async () => {
    const { url, effectsUrl, close } = await serve(change);
    return { target: receiverTarget({ url, effectsUrl, secrets, profile }), close };
  };
}

export const handWritten: readonly Good<ReceiverTarget>[] = [
  { name: "node:http by hand", open: byHand() },
  {
    name: "npm standardwebhooks 1.1.1",
    findings: standardWebhooksFindings,
    open: byHand(onStandardWebhooks),
  },
  { name: "npm svix 2.5.0", findings: standardWebhooksFindings, open: byHand(onSvix) },
  { name: "npm stripe 23.1.0", findings: stripeFindings, open: byHand(onStripe, stripeProfile) },
  { name: "npm @octokit/webhooks 14.2.0", open: byHand(onOctokit, bodyOnlyProfile) },
];
