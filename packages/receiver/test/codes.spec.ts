import { defaultRespond, type RejectionCode } from "@countersign/receiver";
import { signatureErrorCodes } from "@countersign/signatures";
import { expect, it } from "vitest";

// Exhaustive by its type: a code that is added must be added here.
const rejections: Record<Exclude<RejectionCode, keyof typeof signatureErrorCodes>, number> = {
  CS_METHOD_NOT_ALLOWED: 405,
  CS_KEY_UNKNOWN: 401,
  CS_TENANT_UNKNOWN: 401,
  CS_BODY_CONSUMED: 500,
  CS_BODY_ENCODED: 415,
  CS_BODY_MEDIA_TYPE: 415,
  CS_BODY_TOO_LARGE: 413,
  CS_BODY_TIMEOUT: 408,
  CS_BODY_ABORTED: 400,
  CS_BODY_NOT_JSON: 400,
  CS_REQUEST_UNREADABLE: 400,
  CS_EVENT_ENVELOPE: 400,
  CS_EVENT_SCHEMA: 422,
  CS_EVENT_ID_REUSED: 409,
  CS_RECEIVER_BUSY: 503,
};
it("defaultRespond answers each code of a refusal with its status, and 401 to all of the signature", () => {
  const signature = Object.keys(signatureErrorCodes).map((code) => [code, 401] as const);
  for (const [code, status] of [...Object.entries(rejections), ...signature]) {
    const outcome = { kind: "rejected", code: code as RejectionCode } as const;
    expect([code, defaultRespond(outcome).status]).toEqual([code, status]);
  }
});
