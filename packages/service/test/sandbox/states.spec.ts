import { describe, expect, it } from "vitest";
import { shareSandbox, TOKEN } from "./open-sandbox.ts";

const open = shareSandbox();

describe("a provider state of the sandbox", () => {
  const enter = async (state: string, params: object = {}, headers = {}) => {
    const one = await open();
    const json = { state, params, action: "setup" };
    return { one, ...(await one.call("POST", "/sandbox/states", { json, headers })) };
  };

  it("is left without an effect", async () => {
    const one = await open();
    const json = { state: "a merchant", action: "teardown" };
    expect(await one.call("POST", "/sandbox/states", { json })).toMatchObject({ body: {} });
  });

  it("is refused if it is unknown, of unknown parameters, or without a token", async () => {
    expect((await enter("a storm")).body).toMatchObject({
      status: 404,
      errorDetails: { errorCode: "STATE_NOT_FOUND" },
    });
    expect((await enter("a payment", { status: "lost" })).body["errors"]).toMatchObject([
      { pointer: "/params/status" },
    ]);
    expect((await enter("a merchant", { accessToken: "unknown" })).status).toBe(400);
    const one = await open();
    const json = { state: "a merchant" };
    const headers = { "countersign-token": TOKEN };
    const call = (more: object) =>
      one.call("POST", "/sandbox/states", { json, token: null, ...more });
    expect((await call({})).status).toBe(401);
    expect((await call({ headers })).status).toBe(200);
    const other = await one.call("GET", "/sandbox/clock", { token: null, headers });
    expect(other.status).toBe(401);
  });

  it("gives its event as a message, digit for digit and with a signature", async () => {
    const one = await open();
    const providerStates = [{ name: "an event", params: { type: "payment.succeeded" } }];
    const json = { description: "a payment", providerStates };
    const { status, text, headers } = await one.call("POST", "/sandbox/messages", { json });
    expect([status, text]).toEqual([200, expect.stringContaining('"value":80.00')]);
    const metadata = Buffer.from(String(headers["pact-message-metadata"]), "base64").toString();
    expect(metadata).toMatch(/^\{"contentType":"application\/json",.*"webhook-signature":"v1,/);
  });
});
