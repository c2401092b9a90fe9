import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as client from "@countersign/client";
import { createClient, isClientError, type ClientOptions } from "@countersign/client";
import { Agent } from "undici";
import { describe, expect, it } from "vitest";
import { errorOf, openClient, order, pending } from "./fixtures.ts";
import { openProvider } from "./scripted-provider.ts";

const https = { baseUrl: "https://provider.example", token: "t" } as const;

describe("the package", () => {
  it("has these exports", () => {
    expect(Object.keys(client).toSorted()).toEqual([
      "clientErrorCodes",
      "createClient",
      "isClientError",
    ]);
  });
});

describe("an option that is not what it has to be", () => {
  it.each<[string, Partial<Record<keyof ClientOptions, unknown>>]>([
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
    ["timeouts.attemptMs", { timeouts: { attemptMs: 0 } }],
    ["timeouts.callMs", { timeouts: { callMs: Number.POSITIVE_INFINITY } }],
    ["retry.attempts", { retry: { attempts: 0 } }],
    ["limits.answerBytes", { limits: { answerBytes: 1.5 } }],
  ])("(%s, %j) is a TypeError that names it and tells no secret", (name, wrong) => {
    // What JavaScript lets through and the types do not.
    const make = () => createClient({ ...https, ...wrong } as ClientOptions);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(name);
    expect(make).not.toThrow("s3cret");
  });

  it.each(["http://127.0.0.1:4010", "http://localhost", "http://[::1]:1", "http://127.9.9.9"])(
    "is not http to this machine: %s",
    async (baseUrl) => {
      const made = createClient({ ...https, baseUrl });
      await expect(made.close()).resolves.toBeUndefined();
    },
  );

  it("is not http to another machine where it is allowed", async () => {
    const made = createClient({ ...https, baseUrl: "http://sandbox:4010", allowHttp: true });
    await expect(made.close()).resolves.toBeUndefined();
  });
});

describe("a dispatcher of the caller's", () => {
  it("carries the calls and stays open", async () => {
    const { url, received } = await openProvider({ status: 201, json: pending });
    const dispatcher = new Agent();
    const { client: one } = openClient(url, { dispatcher });
    const ended: string[] = [];
    const call = one.refund(order).then(() => ended.push("call"));
    await Promise.all([call, one.close().then(() => ended.push("close"))]);
    expect(ended).toEqual(["call", "close"]);
    expect(received).toHaveLength(1);
    expect(dispatcher.closed).toBe(false);
    await dispatcher.close();
  });
});

describe("an address where nobody listens", () => {
  it("is told as such, and nothing was done", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    // A listening TCP server has an address with a port.
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const { client: one } = openClient(`http://127.0.0.1:${port}`);
    expect(await errorOf(one.refund(order))).toMatchObject({
      code: "CS_UNREACHABLE",
      reason: "ECONNREFUSED",
      attempts: 5,
      mayBeDone: false,
    });
  });
});

describe("isClientError", () => {
  it("goes by the code, since two copies may be installed", () => {
    const copy = Object.assign(new Error("of another copy"), { code: "CS_CALL_TIMEOUT" });
    expect(isClientError(copy)).toBe(true);
    const strangers = [new Error("x"), Object.assign(new Error("x"), { code: "toString" }), null];
    expect(strangers.map(isClientError)).toEqual([false, false, false]);
    expect(isClientError({ code: "CS_CALL_TIMEOUT" })).toBe(false);
  });
});
