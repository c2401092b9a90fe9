import { profiles, type Profile } from "@countersign/schemas/profiles";
import { afterAll, describe, expect, it } from "vitest";
import { errorCodes, type ErrorCode } from "../../src/error-codes.ts";
import { meaningOf } from "../../src/http/words.ts";
import { policyOf } from "../../src/policy-of.ts";
import { openService } from "../open-service.ts";
import { validated } from "../validated.ts";

const standard = { policy: policyOf(profiles.standard), allowLoopbackHttp: false };
const { call } = await openService({ atEnd: afterAll });
const sandbox = await openService({ atEnd: afterAll, allowLoopbackHttp: true });

const refund = {
  paymentId: "pay_1",
  amount: { currency: "USD", value: 1 },
  requestKey: "key",
};
const subscription = {
  url: "https://merchant.example/hook",
  secretKey: "correct-horse-battery-staple",
  subscriptionDetails: { type: "ALL" },
};

/** The words for each wrong member, and those of the whole refusal. */
async function told(path: string, json: unknown, send = call) {
  const problem = validated("problem", await send("POST", path, { json }));
  const members = problem.errors?.map(({ pointer, message }) => [pointer, message]) ?? [];
  return {
    whole: problem.errorDetails.errorMessage,
    members: Object.fromEntries(members) as Record<string, string>,
  };
}

describe("the meaning of a code", () => {
  // The keys of the registry are its codes.
  it.each(Object.keys(errorCodes) as ErrorCode[])(
    "%s is the registry's where the standard profile is served",
    (code) => {
      expect(meaningOf(standard, code)).toBe(errorCodes[code].meaning);
    },
  );

  it("has the bounds of another profile", () => {
    const { refund: choices, amount, limits } = profiles.standard;
    const profile: Profile = {
      ...profiles.standard,
      refund: { ...choices, softDescriptor: "printable-ascii" },
      amount: {
        ...amount,
        strings: "accept",
        trailingZeros: "accept",
        minimumCents: 100,
        maximumCents: 5000,
      },
      limits: {
        ...limits,
        softDescriptor: 20,
        url: 100,
        secretKey: { minimum: 32, maximum: 64 },
      },
    };
    const wording = { policy: policyOf(profile), allowLoopbackHttp: true };
    expect(
      (["INVALID_SOFT_DESCRIPTOR", "INVALID_AMOUNT", "INVALID_URL", "WEAK_SECRET"] as const).map(
        (code) => meaningOf(wording, code),
      ),
    ).toEqual([
      "The softDescriptor must be 1 to 20 printable ASCII characters.",
      "The amount must be a JSON number, or the text of one, from 1.00 to 50.00 with at most two digits after the separator, zeros at the end aside.",
      "The url must be an absolute https address, or http to a loopback host, of at most 100 ASCII characters, without credentials and fragment.",
      "The secretKey must be 32 to 64 printable ASCII characters without spaces that the signature scheme takes, and not the client's own secret.",
    ]);
  });
});

describe("the words for a url", () => {
  const urls = ["", "x", "ftp://merchant.example/", "http://merchant.example/", "https://a/#b", 7];

  it.each(urls)("that is %j are the meaning of its code, true for the service", async (url) => {
    const whole = errorCodes.INVALID_URL.meaning;
    expect(whole).not.toContain("http to");
    const json = { ...subscription, url };
    expect(await told("/v1/webhook/subscribe", json)).toEqual({
      whole,
      members: { "/url": whole },
    });

    const looped = meaningOf({ ...standard, allowLoopbackHttp: true }, "INVALID_URL");
    expect(looped).toContain("http to a loopback host");
    expect(await told("/v1/webhook/subscribe", json, sandbox.call)).toEqual({
      whole: looped,
      members: { "/url": looped },
    });
  });
});

describe("the words for a member", () => {
  const letters = errorCodes.INVALID_SOFT_DESCRIPTOR.meaning;
  const identifier = "must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -";
  const key = "must be 1 to 255 printable ASCII characters";
  const reference = "must be 1 to 255 characters, none of them a control character";

  it.each([
    ["softDescriptor", ["", "a\nb", "x".repeat(81), 7], letters],
    ["requestKey", ["", "é", "k".repeat(256), 7], key],
    ["paymentId", ["", "a b", "p".repeat(65), 7], identifier],
    ["clientReferenceId", ["", "a\u0000", "r".repeat(256), null], reference],
    ["clientRefefenceId", ["", "a\u0000", 7], reference],
  ])("%s say its form, whichever side of it is wrong", async (member, values, words) => {
    for (const value of values) {
      const { members } = await told("/v1/refunds", { ...refund, [member]: value });
      expect(members).toEqual({ [`/${member}`]: words });
    }
  });

  it.each(["short", "x".repeat(257), "with a space in twenty-four", 7])(
    "secretKey say its form where it is %j",
    async (secretKey) => {
      const { members } = await told("/v1/webhook/subscribe", { ...subscription, secretKey });
      expect(members).toEqual({ "/secretKey": errorCodes.WEAK_SECRET.meaning });
    },
  );

  it.each([
    [
      { type: "EVENT", details: [""] },
      "/details/0",
      errorCodes.INVALID_SUBSCRIPTION_DETAILS.meaning,
    ],
    [{ type: "EVENT", details: [] }, "/details", "must have at least 1 items"],
    [
      { type: "CATEGORY", details: ["X"] },
      "/details/0",
      'must be one of ["ACCOUNT","CUSTOMER","PAYMENT"]',
    ],
  ])("subscriptionDetails %j are those of its fault", async (subscriptionDetails, at, words) => {
    const json = { ...subscription, subscriptionDetails };
    const { members } = await told("/v1/webhook/subscribe", json);
    expect(members).toEqual({ [`/subscriptionDetails${at}`]: words });
  });
});

describe("a body that is no object", () => {
  it.each([
    ["[]", "POST", "/v1/refunds"],
    ["1", "POST", "/v1/refunds"],
    ["null", "POST", "/v1/refunds"],
    ['"text"', "POST", "/v1/refunds"],
    ["[]", "POST", "/v1/webhook/subscribe"],
    ["null", "PUT", "/v1/webhook/unsubscribe"],
  ])("such as %s is told that alone by %s %s", async (text, method, path) => {
    const problem = validated("problem", await call(method, path, { text }));
    expect(problem.errorDetails.errorCode).toBe("INVALID_REQUEST");
    expect(problem.errors).toEqual([
      { pointer: "", code: "INVALID_VALUE", message: "must be a JSON object" },
    ]);
  });

  it.each([[], 1, null, "1.00"])(
    "is told so for the amount too, and nothing of its members: %j",
    async (amount) => {
      const { members } = await told("/v1/refunds", { ...refund, amount });
      expect(members).toEqual({ "/amount": "must be object" });
    },
  );

  it("has no fault of its members where the amount is missing", async () => {
    const { amount: _, ...rest } = refund;
    expect((await told("/v1/refunds", rest)).members).toEqual({ "/amount": "is required" });
  });
});
