import { afterAll, describe, expect, it } from "vitest";
import { openWatched } from "../open-service.ts";
import type { TestMerchant } from "../payments.ts";
import { validated } from "../validated.ts";

const shared = await openWatched({ atEnd: afterAll });

const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;
const basicOf = ({ clientId, clientSecret }: TestMerchant): string =>
  basic(`${clientId}:${clientSecret}`);
const GRANT = "grant_type=client_credentials";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const ask = (text: string, headers: Record<string, string> = {}) =>
  shared.call("POST", "/v1/tokens", { text, token: null, headers: { ...FORM, ...headers } });
const authorization = basicOf(shared.merchant);

describe("POST /v1/tokens", () => {
  it("B17 never repeats a token, and stores no token or client secret", async () => {
    const tokens = new Set<string>();
    for (let i = 0; i < 20; i++)
      tokens.add(validated("token", await ask(GRANT, { authorization })).access_token);
    expect(tokens.size).toBe(20);
    const { driver } = shared.service;
    const stored = JSON.stringify([
      await driver.query("SELECT * FROM tokens"),
      await driver.query("SELECT * FROM clients"),
    ]);
    for (const secret of [...tokens, shared.merchant.clientSecret])
      expect(stored).not.toContain(secret);
  });

  it("ignores unknown and empty members (RFC 6749, section 3.2), and is never cached", async () => {
    const answer = await ask(`${GRANT}&audience=x&scope=`, { authorization });
    const headers = { "cache-control": "no-store", pragma: "no-cache" };
    expect(answer).toMatchObject({ status: 200, headers });
  });

  it("refuses invalid requests with 400 and the error code of RFC 6749", async () => {
    const coreOnly = basicOf(await shared.addMerchant(["core"]));
    const json = { "content-type": "application/json" };
    for (const [text, error, headers] of [
      ["scope=core", "invalid_request", { authorization }],
      ["grant_type=", "invalid_request", { authorization }],
      ["grant_type=password", "unsupported_grant_type", { authorization }],
      [`${GRANT}&scope=core&scope=core`, "invalid_request", { authorization }],
      [`${GRANT}&scope=admin`, "invalid_scope", { authorization }],
      [`${GRANT}&scope=%22`, "invalid_request", { authorization }],
      [`${GRANT}&client_id=a`, "invalid_request", { authorization }],
      [`${GRANT}&scope=payments`, "invalid_scope", { authorization: coreOnly }],
      ["null", "invalid_request", json],
      ["[]", "invalid_request", json],
      ['{"grant_type":"client_credentials","grant_type":"x"}', "invalid_request", json],
    ] as const) {
      const answer = await ask(text, headers);
      expect([text, answer.status]).toEqual([text, 400]);
      expect([text, validated("tokenError", answer).error]).toEqual([text, error]);
      expect(answer.headers["cache-control"]).toBe("no-store");
    }
  });

  it("refuses invalid credentials with 401 invalid_client, identical for every reason", async () => {
    for (const credentials of [
      undefined,
      "Bearer abc",
      "Basic ???",
      basic("abc"),
      basic("a%ZZ:b"),
      basic("cli_unknown:wrong"),
      basic(`${shared.merchant.clientId}:wrong`),
    ]) {
      const answer = await ask(GRANT, credentials ? { authorization: credentials } : {});
      expect([answer.status, answer.body]).toEqual([401, { error: "invalid_client" }]);
      expect(answer.headers["www-authenticate"]).toBe('Basic realm="countersign", charset="UTF-8"');
      validated("tokenError", answer);
    }
  });
});
