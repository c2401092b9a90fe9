import {
  faultAt,
  refuse,
  refuseMembers,
  useCasesOf,
  type BodyCall,
  type Route,
} from "@countersign/service";
import { list, object, oneOf, optional, readMembers, required, text } from "../../members.ts";
import { refuseControl } from "../../refusals.ts";
import type { InspectParts } from "../inspect-parts.ts";

const details = object({
  type: required(oneOf("EVENT", "CATEGORY", "ALL")),
  details: optional(list(text({ max: 255 }), { max: 100 })),
});

/**
 * `POST /sandbox/inspect/subscriptions`: subscribes the address of the command line. A page cannot name
 * another one: it would make the sandbox a tool against whatever this machine reaches.
 */
export const postTargetSubscription = ({ target }: InspectParts): Route => ({
  method: "POST",
  scope: undefined,
  answer: async (call) => {
    const order = readMembers(call.body, {
      subscriptionDetails: required(details),
      url: optional(text({ max: 2048 })),
    });
    if (target === undefined) throw refuseControl("NO_TARGET");
    if (order.url !== undefined && order.url !== target.url) {
      const message = "is not the address of --deliver-to";
      throw refuseMembers([{ pointer: "/url", code: "INVALID_VALUE", message }]);
    }
    return subscribe(call, { target, subscriptionDetails: order.subscriptionDetails });
  },
});

interface Order {
  readonly target: { readonly url: string; readonly secret: string };
  readonly subscriptionDetails: {
    readonly type: "EVENT" | "CATEGORY" | "ALL";
    readonly details?: readonly string[] | undefined;
  };
}

async function subscribe(
  { context, merchant }: BodyCall,
  { target, subscriptionDetails: { type, details: names = [] } }: Order,
) {
  const outcome = await useCasesOf(context).subscribe(merchant, {
    url: target.url,
    secretKey: target.secret,
    subscriptionDetails: type === "ALL" ? { type } : { type, details: [...names] },
  });
  if (outcome.ok) return { status: 201, body: { subscriptionKey: outcome.subscriptionKey } };
  if (outcome.code !== "UNKNOWN_EVENT") throw refuse(outcome.code);
  throw refuseMembers(
    outcome.at.map((place) =>
      faultAt(context, `/subscriptionDetails/details/${String(place)}`, "UNKNOWN_EVENT"),
    ),
  );
}
