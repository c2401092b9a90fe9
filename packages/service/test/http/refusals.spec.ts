import { profiles, type Profile } from "@countersign/schemas/profiles";
import { afterAll, describe, expect, it } from "vitest";
import { errorCodes } from "../../src/error-codes.ts";
import { meaningOf } from "../../src/http/members.ts";
import { policyOf } from "../../src/profile/policy.ts";
import { openWatched, refundOrder, type CallOptions } from "../open-service.ts";
import { refusal, validated } from "../validated.ts";

// One service for all: what is refused leaves nothing behind that another test could meet.
const opened = await openWatched({ atEnd: afterAll });
const { call } = opened;

/** The messages of a refused refund request's members, by their places. */
async function messages(sent: CallOptions): Promise<object> {
  const { errors } = validated("problem", await call("POST", "/v1/refunds", sent));
  return Object.fromEntries(errors?.map(({ pointer, message }) => [pointer, message]) ?? []);
}

describe("POST /v1/refunds", () => {
  it("reports everything that is wrong with a request at once", async () => {
    const json = {
      amount: { currency: "EUR", value: 0 },
      softDescriptor: "line\nbreak",
      clientReferenceId: "r",
      clientRefefenceId: "s",
      memo: 1,
    };
    expect(refusal(await call("POST", "/v1/refunds", { json }))).toEqual({
      status: 400,
      code: "INVALID_REQUEST",
      members: {
        "/paymentId": "MISSING_MEMBER",
        "/requestKey": "MISSING_MEMBER",
        "/memo": "UNKNOWN_MEMBER",
        "/amount/currency": "UNSUPPORTED_CURRENCY",
        "/amount/value": "INVALID_AMOUNT",
        "/softDescriptor": "INVALID_SOFT_DESCRIPTOR",
        "/clientRefefenceId": "CONTRADICTION",
      },
    });
    const amount = { currency: "EUR", value: 1 };
    expect(refusal(await opened.refund("pay_1", { amount }))).toMatchObject({
      status: 400,
      code: "UNSUPPORTED_CURRENCY",
    });
  });

  it("reports at most 100 faults, and long names by their first 2,048 characters", async () => {
    const names = Array.from({ length: 300 }, (_, i) => [`${"x".repeat(100)}${i}`, 1]);
    const json = { ["y".repeat(20_000)]: 1, ...(Object.fromEntries(names) as object) };
    const { errors = [] } = validated("problem", await call("POST", "/v1/refunds", { json }));
    expect(errors).toHaveLength(100);
    expect(Math.max(...errors.map(({ pointer }) => pointer.length))).toBe(2048);
  });

  it("T-13 explains the form of a member, whatever is wrong with it", async () => {
    const letters = errorCodes.INVALID_SOFT_DESCRIPTOR.meaning;
    const identifier = "must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -";
    const key = "must be 1 to 255 printable ASCII characters";
    const reference = "must be 1 to 255 characters, none of them a control character";
    for (const [member, values, message] of [
      ["softDescriptor", ["", "a\nb", "a.b", "😀", "x".repeat(81), 7], letters],
      ["requestKey", ["", "é", "k".repeat(256), 7], key],
      ["paymentId", ["", "a b", "p".repeat(65), 7], identifier],
      ["clientReferenceId", ["", "a\u0000", "r".repeat(256), null], reference],
      ["clientRefefenceId", ["", "a\u0000", 7], reference],
      ["amount", [[], 1, null, "1.00"], "must be object"],
    ] as const) {
      for (const value of values) {
        const json = refundOrder("pay_1", { [member]: value });
        expect(await messages({ json })).toEqual({ [`/${member}`]: message });
      }
    }
    const json = refundOrder("pay_1", { amount: undefined });
    expect(await messages({ json })).toEqual({ "/amount": "is required" });
    expect(await messages({ text: "[]" })).toEqual({ "": "must be a JSON object" });
  });
});

describe("a refusal's message", () => {
  it("has the bounds of the profile", () => {
    const { refund, amount, limits } = profiles.standard;
    const profile: Profile = {
      ...profiles.standard,
      refund: { ...refund, softDescriptor: "printable-ascii" },
      amount: { ...amount, minimumCents: 100, maximumCents: 5000 },
      limits: { ...limits, softDescriptor: 20, url: 100, secretKey: { minimum: 32, maximum: 64 } },
    };
    const other = { policy: policyOf(profile), endpoints: { allowLoopback: true } };
    for (const [code, words] of [
      ["INVALID_SOFT_DESCRIPTOR", "must be 1 to 20 printable ASCII characters."],
      ["INVALID_AMOUNT", "must be a JSON number from 1.00 to 50.00 with"],
      ["INVALID_URL", "http to a loopback host"],
      ["INVALID_URL", "of at most 100 ASCII characters"],
      ["WEAK_SECRET", "must be 32 to 64 printable ASCII characters"],
    ] as const)
      expect(meaningOf(other, code)).toContain(words);
  });
});
