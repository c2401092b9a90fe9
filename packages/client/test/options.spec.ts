import * as client from "@countersign/client";
import { createClient, isClientError, type ClientOptions } from "@countersign/client";
import { profiles } from "@countersign/schemas/profiles";
import { Agent, type Dispatcher } from "undici";
import { describe, expect, it } from "vitest";
import { testPort } from "../../receiver/test/inboxes/servers.ts";
import {
  clientOf,
  errorOf,
  made,
  openClient,
  order,
  refundError,
  type Scripted,
} from "./fixtures.ts";

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

describe("a refund without an answer", () => {
  /** The error of a refund whose exchange fails with this error. */
  const failedWith = (failure: Error) => {
    // The client calls no other method of its dispatcher.
    const dispatcher = { request: () => Promise.reject(failure) } as unknown as Dispatcher;
    return refundError(made, { dispatcher, maxAttempts: 1 });
  };
  const system = (code: string, syscall?: string) =>
    Object.assign(new Error("x"), { code, ...(syscall !== undefined && { syscall }) });

  it("is certainly not done if nothing listens", async () => {
    const port = await testPort();
    const error = await errorOf(openClient(`http://127.0.0.1:${port}`).client.refund(order));
    const expected = { code: "CS_UNREACHABLE", reason: "ECONNREFUSED", attempts: 5 };
    expect(error).toMatchObject({ ...expected, mayBeDone: false });
  });

  it("may be done through a dispatcher that is destroyed meanwhile", async () => {
    const dispatcher = new Agent();
    const destroy: Scripted = () => void dispatcher.destroy();
    const { error } = await refundError(destroy, { dispatcher, maxAttempts: 1 });
    expect(error).toMatchObject({ code: "CS_CONNECTION_LOST", mayBeDone: true });
  });

  it.each([
    ["no route to the host", system("EHOSTUNREACH", "connect")],
    ["no address of the host", system("ENOTFOUND", "getaddrinfo")],
    ["no connection to any address", new AggregateError([system("ETIMEDOUT", "connect")])],
    ["the end of the caller's dispatcher", system("UND_ERR_CLOSED")],
    ["another host's certificate", system("ERR_TLS_CERT_ALTNAME_INVALID")],
  ])("is certainly not done after %s", async (_, error) => {
    const expected = { code: "CS_UNREACHABLE", mayBeDone: false };
    expect((await failedWith(error)).error).toMatchObject(expected);
  });

  it.each([
    ["a route that ends during the exchange", system("EHOSTUNREACH", "read")],
    ["a garbled record of TLS", system("ERR_SSL_WRONG_VERSION_NUMBER")],
    ["an error without a code", new Error("x")],
  ])("may be done after %s", async (_, error) => {
    const expected = { code: "CS_CONNECTION_LOST", mayBeDone: true };
    expect((await failedWith(error)).error).toMatchObject(expected);
  });
});

it("isClientError recognizes an error of another copy of the package by its code", () => {
  const error = (code: string) => Object.assign(new Error("x"), { code });
  expect(isClientError(error("CS_CALL_TIMEOUT"))).toBe(true);
  const strangers = [new Error("x"), error("toString"), null, { code: "CS_CALL_TIMEOUT" }];
  expect(strangers.map(isClientError)).toEqual([false, false, false, false]);
});
