import type { SubscribeRequest, SubscribeResponse } from "@countersign/schemas";
import { validateSubscribeResponse } from "@countersign/schemas/readers";
import { validateSubscribeRequest } from "@countersign/schemas/writers";
import type { Prepared } from "../call.ts";
import { invalidMembers } from "./members.ts";

/** `POST /v1/webhook/subscribe` (S 4.3). Two calls make two subscriptions, so it is never retried. */
export function subscribeCall(request: SubscribeRequest): Prepared<SubscribeResponse> {
  const validation = validateSubscribeRequest(request);
  if (!validation.ok) return { ok: false, errors: invalidMembers(validation.errors) };
  return {
    ok: true,
    call: {
      name: "subscribe",
      method: "POST",
      path: "/v1/webhook/subscribe",
      body: JSON.stringify(request),
      isIdempotent: false,
      changes: true,
      secrets: [request.secretKey],
      validate: validateSubscribeResponse,
    },
  };
}
