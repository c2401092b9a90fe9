import { listAttempts, listDeliveries, type EventRecord, type Route } from "@countersign/service";
import { integer, optional, readMembers, required, text } from "../../members.ts";
import { refuseControl } from "../../refusals.ts";
import type { InspectParts } from "../inspect-parts.ts";
import { keyedSubscriptions } from "../keyed-subscriptions.ts";
import { openedSecret, sentHeaders } from "../sent-headers.ts";
import { signatureSteps } from "../signature-steps.ts";

/**
 * `POST /sandbox/inspect/signatures`: verifies an attempt's signature step by step, as sent or with the
 * body and the signature that a receiver says it got. The secret stays here.
 */
export const postSignature = (parts: InspectParts): Route => ({
  method: "POST",
  scope: undefined,
  answer: async (call) => {
    const { context, merchant } = call;
    const order = readMembers(call.body, {
      deliveryId: required(text({ max: 64 })),
      attempt: required(integer({ min: 1, max: 1_000_000 })),
      body: optional(text({ min: 0, max: 262_144 })),
      signature: optional(text({ min: 0, max: 8192 })),
    });
    const [delivery] = await listDeliveries(context.driver, {
      merchantId: merchant.id,
      id: order.deliveryId,
      limit: 1,
    });
    if (delivery === undefined) throw refuseControl("DELIVERY_NOT_FOUND");
    const attempts = await listAttempts(context.driver, [delivery.id]);
    const attempt = attempts.find(({ number }) => number === order.attempt);
    const keyed = await keyedSubscriptions(context.driver, [delivery.subscriptionKey]);
    const subscription = keyed.get(delivery.subscriptionKey);
    const [event] = await context.driver.query<Pick<EventRecord, "id" | "payload">>(
      `SELECT id, payload FROM events WHERE id = $1`,
      [delivery.eventId],
    );
    if (attempt === undefined || subscription === undefined || event === undefined) {
      throw refuseControl("DELIVERY_NOT_FOUND");
    }
    const { startedAt } = attempt;
    const headers = sentHeaders(parts, { subscription, event, startedAt });
    const secret = openedSecret(parts, subscription);
    if (headers === null || secret === undefined) throw refuseControl("DELIVERY_NOT_FOUND");
    const steps = signatureSteps(parts.profile, {
      secret,
      sent: { id: event.id, startedAt, headers, body: event.payload },
      received: { body: order.body, signature: order.signature },
    });
    return { status: 200, body: steps };
  },
});
