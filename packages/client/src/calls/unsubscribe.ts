import type { UnsubscribeRequest, UnsubscribeResponse } from "@countersign/schemas";
import type { Profile } from "@countersign/schemas/profiles";
import { validateUnsubscribeResponse } from "@countersign/schemas/readers";
import { validateUnsubscribeRequest } from "@countersign/schemas/writers";
import type { Call, Prepared } from "../call.ts";
import { invalidMembers } from "./members.ts";

/** `PUT /v1/webhook/unsubscribe` (S 4.4), with the key in the place that the profile names. */
export function unsubscribeCall(
  request: UnsubscribeRequest,
  { subscription }: Profile,
): Prepared<UnsubscribeResponse> {
  const validation = validateUnsubscribeRequest(request);
  if (!validation.ok) return { ok: false, errors: invalidMembers(validation.errors) };
  const { idIn } = subscription;
  // As segments of a path they would name another resource.
  if (idIn === "path" && /^\.{1,2}$/.test(request.subscriptionId))
    return { ok: false, errors: [{ pointer: "/subscriptionId", code: "pattern" }] };
  return {
    ok: true,
    call: {
      name: "unsubscribe",
      method: "PUT",
      ...placed(request, idIn),
      isIdempotent: true,
      changes: true,
      secrets: [],
      validate: validateUnsubscribeResponse,
    },
  };
}

function placed(
  { subscriptionId, subscriptionDetails }: UnsubscribeRequest,
  idIn: Profile["subscription"]["idIn"],
): Pick<Call<UnsubscribeResponse>, "path"> & { readonly body: string } {
  const path = "/v1/webhook/unsubscribe";
  const id = encodeURIComponent(subscriptionId);
  const body = JSON.stringify({ subscriptionDetails });
  switch (idIn) {
    case "body":
      return { path, body: JSON.stringify({ subscriptionId, subscriptionDetails }) };
    case "query":
      return { path: `${path}?subscriptionId=${id}`, body };
    case "path":
      return { path: `${path}/${id}`, body };
    default:
      return idIn satisfies never;
  }
}
