import { readFileSync } from "node:fs";
import { defaultRespond, type FailureCode, type RejectionCode } from "@countersign/receiver";
import { signatureErrorCodes } from "@countersign/signatures";
import { describe, expect, it } from "vitest";

const reference = readFileSync(
  new URL("../../../docs/reference/codes.md", import.meta.url),
  "utf8",
);
const documented = [...reference.matchAll(/^### (CS_[A-Z_]+)\n\n.* Status (\d{3})\.$/gm)].map(
  ([, code = "", status]) => [code, Number(status)] as const,
);

// Exhaustive by their types: a code that is added must be added here.
const rejections: Record<Exclude<RejectionCode, keyof typeof signatureErrorCodes>, number> = {
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
  CS_EVENT_ID_MISMATCH: 400,
  CS_EVENT_SCHEMA: 422,
  CS_EVENT_ID_REUSED: 409,
  CS_RECEIVER_BUSY: 503,
};
const failures: Record<FailureCode, number> = {
  CS_HANDLER_FAILED: 503,
  CS_HANDLER_TIMEOUT: 503,
  CS_CLAIM_LOST: 503,
  CS_INBOX_UNAVAILABLE: 503,
  CS_SECRETS_UNAVAILABLE: 503,
  CS_RECEIVER_FAILED: 503,
};

describe("defaultRespond", () => {
  it("answers each code with its documented status", () => {
    expect(documented.length).toBeGreaterThan(10);
    expect({ ...rejections, ...failures }).toMatchObject(Object.fromEntries(documented));
    const signature = Object.keys(signatureErrorCodes).map((code) => [code, 401] as const);
    for (const [code, status] of [...Object.entries(rejections), ...signature])
      expect([
        code,
        defaultRespond({ kind: "rejected", code: code as RejectionCode }).status,
      ]).toEqual([code, status]);
  });
});
