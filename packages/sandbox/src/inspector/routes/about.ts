import { customerTransitions, refundTransitions } from "@countersign/rules";
import type { Route } from "@countersign/service";
import { faultRoutes } from "../../faults.ts";
import { namedEvents } from "../event-places.ts";
import type { InspectParts } from "../inspect-parts.ts";

/** `GET /sandbox/inspect`: what the page draws by, the rules' own transitions among it. */
export const getAbout = ({ profile, delivery, target }: InspectParts): Route => ({
  method: "GET",
  scope: undefined,
  answer: async ({ context, merchant }) => ({
    status: 200,
    body: {
      merchantId: merchant.id,
      profile: profile.name,
      target: target === undefined ? null : { url: new URL(target.url).href },
      scheduleSeconds: delivery.schedule.steps.map((step) => step / 1000),
      jitter: delivery.schedule.jitter,
      events: namedEvents(profile),
      envelope: profile.envelope,
      accountTypes: profile.account.types,
      signature: profile.signature,
      lateReturn: context.policy.refund.lateReturn,
      faultRoutes,
      transitions: {
        refund: refundTransitions.map(shownTransition),
        customer: customerTransitions.map(shownTransition),
      },
    },
  }),
});

interface Row {
  readonly from: string | undefined;
  readonly trigger: string;
  readonly condition: string | undefined;
  readonly to: string;
  readonly effect: string | undefined;
}

function shownTransition({ from, trigger, condition, to, effect }: Row): object {
  return { from: from ?? null, trigger, condition: condition ?? null, to, effect: effect ?? null };
}
