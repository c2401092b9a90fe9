import * as client from "@countersign/client";
import { createClient, isClientError, type ClientOptions } from "@countersign/client";
import { profiles } from "@countersign/schemas/profiles";
import { Agent } from "undici";
import { describe, expect, it } from "vitest";
import { clientOf, made, order } from "./fixtures.ts";

const https = { baseUrl: "https://provider.example", token: "t" } as const;

it("the package exports createClient and isClientError", () => {
  const names = Object.keys(client).toSorted();
  expect(names).toEqual(["createClient", "isClientError"]);
});

describe("createClient", () => {
  it("throws a TypeError that names the wrong option and no secret", () => {
    const cases: readonly (readonly [string, Partial<Record<keyof ClientOptions, unknown>>])[] = [
      ["baseUrl", { baseUrl: undefined }],
      ["baseUrl", { baseUrl: "provider.example" }],
      ["baseUrl", { baseUrl: "ftp://provider.example" }],
      ["baseUrl", { baseUrl: "https://me:s3cret@provider.example" }],
      ["baseUrl", { baseUrl: "https://provider.example?s3cret" }],
      ["https", { baseUrl: "http://provider.example" }],
      ["https", { baseUrl: "http://127.0.0.1.provider.example" }],
      ["https", { baseUrl: "http://localhost.provider.example" }],
      ["token", { token: "s3cret with spaces" }],
      ["token", { token: "t", clientId: "me", clientSecret: "s3cret" }],
      ["clientSecret", { token: undefined }],
      ["clientSecret", { token: undefined, clientId: "me", clientSecret: "" }],
      ["profile", { profile: "constructor" }],
      ["profile", { profile: null }],
      ["/subscription", { profile: { ...profiles.standard, subscription: undefined } }],
      ["attemptTimeoutMs", { attemptTimeoutMs: 0 }],
      ["timeoutMs", { timeoutMs: Infinity }],
      ["maxAttempts", { maxAttempts: 1.5 }],
    ];
    for (const [name, wrong] of cases) {
      // Values that JavaScript allows and the types do not.
      const make = () => createClient({ ...https, ...wrong } as ClientOptions);
      expect(make).toThrow(TypeError);
      expect(make).toThrow(name);
      expect(make).not.toThrow("s3cret");
    }
  });

  it("accepts http to this machine, and to another one with allowHttp", async () => {
    for (const host of ["127.0.0.1:4010", "localhost", "[::1]:1", "127.9.9.9", "sandbox:4010"]) {
      const allowHttp = host === "sandbox:4010";
      const one = createClient({ ...https, baseUrl: `http://${host}`, allowHttp });
      await expect(one.close()).resolves.toBeUndefined();
    }
  });

  it("sends calls through the caller's dispatcher, and close leaves it open", async () => {
    const dispatcher = new Agent();
    const { client: one, received } = await clientOf(made, { dispatcher });
    await one.refund(order);
    await one.close();
    expect(received).toHaveLength(1);
    expect(dispatcher.closed).toBe(false);
    await dispatcher.close();
  });
});

it("isClientError recognizes an error of another copy of the package by its code", () => {
  const error = (code: string) => Object.assign(new Error("x"), { code });
  expect(isClientError(error("CS_CALL_TIMEOUT"))).toBe(true);
  const strangers = [new Error("x"), error("toString"), null, { code: "CS_CALL_TIMEOUT" }];
  expect(strangers.map(isClientError)).toEqual([false, false, false, false]);
});
