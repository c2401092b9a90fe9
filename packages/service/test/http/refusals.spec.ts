import { profiles, type Profile } from "@countersign/schemas/profiles";
import { afterAll, describe, expect, it } from "vitest";
import { errorCodes } from "../../src/error-codes.ts";
import { meaningOf } from "../../src/http/members.ts";
import { policyOf } from "../../src/profile/policy-of.ts";
import { openWatched, refundOrder, type CallOptions } from "../open-service.ts";
import { refusal, validated } from "../validated.ts";

// One service for all: what is refused leaves nothing behind that another test could meet.
const opened = await openWatched({ atEnd: afterAll });
const { call, pay } = opened;

/** The messages of a refused refund request's members, by their places. */
async function messages(sent: CallOptions): Promise<object> {
  const { errors } = validated("problem", await call("POST", "/v1/refunds", sent));
  return Object.fromEntries(errors?.map(({ pointer, message }) => [pointer, message]) ?? []);
}

describe("POST /v1/refunds", () => {
  it("T-14 T-15 accepts amounts of 0.01 to 99999999.99 with at most two decimals, as they are written, and no others", async () => {
    const ask = async (value: string) => {
      const paymentId = await pay({ cents: 9_999_999_999n });
      const text = `{"paymentId":"${paymentId}","requestKey":${JSON.stringify(value)},"amount":{"currency":"USD","value":${value}}}`;
      return call("POST", "/v1/refunds", { text });
    };
    const code = "INVALID_AMOUNT";
    const members = { "/amount/value": code };
    const invalid = `1.100 0.1000000000000000055 "1.00" 0.00 -0 -1 1e2 1E+2 1e-400 100000000 null true [1]`;
    for (const value of invalid.split(" "))
      expect([value, refusal(await ask(value))]).toEqual([value, { status: 400, code, members }]);
    for (const value of ["10", "10.5", "10.50", "0.01", "99999999.99"])
      expect([value, (await ask(value)).status]).toEqual([value, 201]);
  });

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
  it("is the registry's for the standard profile, and has the bounds of any other", () => {
    const standard = { policy: policyOf(profiles.standard), endpoints: { allowLoopback: false } };
    for (const code of Object.keys(errorCodes) as (keyof typeof errorCodes)[])
      expect(meaningOf(standard, code)).toBe(errorCodes[code].meaning);
    const { refund, amount, limits } = profiles.standard;
    const spelling = { strings: "accept", trailingZeros: "accept" } as const;
    const profile: Profile = {
      ...profiles.standard,
      refund: { ...refund, softDescriptor: "printable-ascii" },
      amount: { ...amount, ...spelling, minimumCents: 100, maximumCents: 5000 },
      limits: { ...limits, softDescriptor: 20, url: 100, secretKey: { minimum: 32, maximum: 64 } },
    };
    const other = { policy: policyOf(profile), endpoints: { allowLoopback: true } };
    expect(meaningOf(other, "INVALID_SOFT_DESCRIPTOR")).toBe(
      "The softDescriptor must be 1 to 20 printable ASCII characters.",
    );
    expect(meaningOf(other, "INVALID_AMOUNT")).toBe(
      "The amount must be a JSON number, or the text of one, from 1.00 to 50.00 with at most two digits after the separator, apart from trailing zeros.",
    );
    expect(meaningOf(other, "INVALID_URL")).toContain("of at most 100 ASCII characters");
    expect(meaningOf(other, "INVALID_URL")).toContain("http to a loopback host");
    expect(meaningOf(other, "WEAK_SECRET")).toContain(
      "must be 32 to 64 printable ASCII characters",
    );
  });
});
