import { customerTransitions, refundTransitions } from "@countersign/rules";
import {
  faultAt,
  refuseMembers,
  useCasesOf,
  type DeliveryPolicy,
  type Routes,
} from "@countersign/service/internal";
import { faultRoutes } from "../faults.ts";
import { list, object, oneOf, optional, text } from "../readers.ts";
import { refuse } from "../refusals.ts";
import { get, post, refuseMember } from "../routes/call.ts";
import type { Streams } from "../streams.ts";
import { checkRoutes, type CheckRuns } from "./checks.ts";
import { inspectedEventRoutes, namedEvents } from "./events.ts";
import { outcomeRoutes, type Outcomes } from "./outcomes.ts";
import type { InspectorOptions } from "./page.ts";
import { refundRoutes } from "./refunds.ts";
import { signatureRoutes, type SigningParts } from "./signatures.ts";

export interface InspectParts {
  readonly delivery: DeliveryPolicy;
  readonly outcomes: Outcomes;
  readonly streams: Streams;
  readonly target: InspectorOptions["target"];
  /** `undefined` if there is no target, or nothing to run. */
  readonly checks: CheckRuns | undefined;
}

/** The page's calls beyond the controls, each about the namespace of the call's token. */
export function inspectRoutes(
  signing: SigningParts,
  { delivery, outcomes, streams, target, checks }: InspectParts,
): Routes {
  const { profile } = signing;
  return {
    ...checkRoutes(checks, target !== undefined),
    ...inspectedEventRoutes(signing, outcomes),
    ...outcomeRoutes(outcomes, streams),
    ...refundRoutes(profile),
    ...signatureRoutes(signing),
    "/sandbox/inspect": [
      // What the page is drawn from, with the rules' own transitions.
      get(async ({ context, merchant }) => ({
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
      })),
    ],
    "/sandbox/inspect/subscriptions": [
      // Subscribes the address of the command line. A page that could name another one would make the
      // sandbox a tool against whatever this machine reaches.
      post(
        201,
        {
          subscriptionDetails: object({
            type: oneOf("EVENT", "CATEGORY", "ALL"),
            details: optional(list(text(255), 100)),
          }),
          url: optional(text(2048)),
        },
        async ({ context, merchant }, { url, subscriptionDetails: { type, details = [] } }) => {
          if (target === undefined) throw refuse("NO_TARGET");
          if (url !== undefined && url !== target.url) {
            throw refuseMember("/url", "is not the address of --deliver-to");
          }
          const outcome = await useCasesOf(context).subscribe(merchant, {
            url: target.url,
            secretKey: target.secret,
            subscriptionDetails: type === "ALL" ? { type } : { type, details },
          });
          if (outcome.ok) return { subscriptionKey: outcome.subscriptionKey };
          if (outcome.code !== "UNKNOWN_EVENT") throw refuse(outcome.code);
          throw refuseMembers(
            outcome.at.map((place) =>
              faultAt(context, `/subscriptionDetails/details/${String(place)}`, "UNKNOWN_EVENT"),
            ),
          );
        },
      ),
    ],
  };
}

type Row = (typeof refundTransitions | typeof customerTransitions)[number];

function shownTransition({ from, trigger, condition, to, effect }: Row): object {
  return { from: from ?? null, trigger, condition: condition ?? null, to, effect: effect ?? null };
}
