import { type Profile, profiles } from "@countersign/schemas/profiles";

export const xSignature: Profile = profiles["x-signature"];

/** Requirements that no answer of `x-signature` shows, by the check that would see them. */
export const unseenByXSignature: Readonly<Record<string, readonly string[]>> = {
  "provider/invalid-requests": ["P-INPUT-PRECISE"],
  "provider/request-keys": ["P-REFUND-KEY-EXISTING"],
  "provider/refund-states": ["P-REFUND-AUTHORIZED", "P-REFUND-FINAL", "P-REFUND-HOLD-SETTLEMENT"],
  // Its attempts have 15 seconds, which only a slow run waits for.
  "sender/attempt-deadline": [
    "P-EVENT-TIMEOUT",
    "P-ANSWER-SCHEMA",
    "P-ANSWER-FORM",
    "P-ANSWER-NO-SECRETS",
  ],
};
