import { type Profile, profiles } from "@countersign/schemas/profiles";
import { providerOf } from "@countersign/schemas/provider-of";
import { quick } from "./open-target.ts";

/** A provider of orders: the interface without refunds and customers. */
export const withoutPayments = (): Profile => {
  const { payments: _, ...rest } = quick;
  const schema = {
    type: "object",
    additionalProperties: false,
    required: ["orderId"],
    properties: { orderId: { type: "string", minLength: 3, maxLength: 40 } },
  };
  const row = { category: "ORDER", resource: "body:/data/orderId", schema };
  const catalogue = ["order.placed", "order.shipped"].map((type) => ({ ...row, type }));
  return { ...rest, provider: { ...providerOf(quick), catalogue } };
};

export const xSignature: Profile = profiles["x-signature"];

/** Requirements that no answer of `x-signature` shows, by the check that would see them. */
export const unseenByXSignature: Readonly<Record<string, readonly string[]>> = {
  "provider/invalid-requests": ["P-INPUT-PRECISE"],
  "provider/request-keys": ["P-REFUND-KEY-EXISTING"],
  "provider/refund-states": ["P-REFUND-AUTHORIZED", "P-REFUND-FINAL", "P-REFUND-HOLD-SETTLEMENT"],
  // Its attempts have 15 seconds, which only a slow run waits for.
  "sender/attempt-deadline": ["P-EVENT-TIMEOUT", "P-ANSWER-SCHEMA", "P-ANSWER-FORM"],
};
