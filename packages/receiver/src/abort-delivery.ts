import type { RejectionCode } from "./outcome.ts";
import { defaultRespond, type Respond } from "./respond.ts";

/** Rejections of an authentic body, for which a sender may be told to stop. */
export type AbortableCode = Extract<
  RejectionCode,
  | "CS_BODY_NOT_JSON"
  | "CS_EVENT_ENVELOPE"
  | "CS_EVENT_ID_MISMATCH"
  | "CS_EVENT_SCHEMA"
  | "CS_EVENT_ID_REUSED"
>;

/**
 * A policy that answers like `respond`, and adds `webhook-delivery: abort-message` to rejections with
 * one of `codes`: senders that know the header don't send the event again. Such an event is lost to a
 * receiver that is updated later, so it is opt-in:
 *
 * ```ts
 * createReceiver({ …, respond: abortDelivery({ codes: ["CS_EVENT_SCHEMA"] }) })
 * ```
 *
 * @throws {TypeError} a code that is none of an authentic body: a stranger's attempt stops nothing.
 * @see Standard Webhooks, the proposed delivery control header; Svix documents it.
 */
export function abortDelivery({
  codes,
  respond = defaultRespond,
}: {
  readonly codes: readonly AbortableCode[];
  /** Default `defaultRespond`. */
  readonly respond?: Respond;
}): Respond {
  for (const code of codes)
    if (!Object.hasOwn(abortable, code))
      throw new TypeError(`abortDelivery: ${JSON.stringify(code)} is no code of an authentic body`);
  const aborting = new Set<string>(codes);
  return (outcome) => {
    const response = respond(outcome);
    if (outcome.kind !== "rejected" || !aborting.has(outcome.code)) return response;
    const headers = { ...response.headers, "webhook-delivery": "abort-message" };
    return { ...response, headers };
  };
}

// Exhaustive by its type.
const abortable: Readonly<Record<AbortableCode, true>> = {
  CS_BODY_NOT_JSON: true,
  CS_EVENT_ENVELOPE: true,
  CS_EVENT_ID_MISMATCH: true,
  CS_EVENT_SCHEMA: true,
  CS_EVENT_ID_REUSED: true,
};
