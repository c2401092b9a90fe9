import { createHmac } from "node:crypto";
import { profiles } from "@countersign/schemas/profiles";
import { base64url } from "jose";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { TokenIssuer } from "../../src/http/token-issuer.ts";
import {
  openService,
  type OpenOptions,
  type TestAnswer,
  type TestMerchant,
  type TestService,
} from "../open-service.ts";
import { refusal, validated } from "../validated.ts";
import { watchRefusals } from "../watch-refusals.ts";
import { jwtOf, newKey, openKeyServer } from "./key-server.ts";

const open = watchRefusals();
const shared = await open({ atEnd: afterAll });

const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;
const basicOf = ({ clientId, clientSecret }: TestMerchant): string =>
  basic(`${clientId}:${clientSecret}`);
const GRANT = "grant_type=client_credentials";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const ask = (text: string, headers: Record<string, string> = {}, opened = shared) =>
  opened.call("POST", "/v1/tokens", { text, token: null, headers: { ...FORM, ...headers } });
const authorization = basicOf(shared.merchant);

/** 404 is the answer of a call that has passed authentication and scope. */
const get = ({ call }: TestService, token: string): Promise<TestAnswer> =>
  call("GET", "/v1/customers/c", { token });

describe("POST /v1/tokens", () => {
  it("[P-AUTH-TOKEN-EXPIRES] issues a token for HTTP Basic that works for one hour, to the millisecond", async () => {
    const opened = await openService();
    const answer = await ask(GRANT, { authorization: basicOf(opened.merchant) }, opened);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ "cache-control": "no-store", pragma: "no-cache" });
    const { access_token: token, ...rest } = validated("token", answer);
    expect(rest).toEqual({ token_type: "Bearer", expires_in: 3600, scope: "payments core" });
    opened.clock.advance(3_599_999);
    expect((await get(opened, token)).status).toBe(404);
    opened.clock.advance(1);
    expect((await get(opened, token)).status).toBe(401);
  });

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

  it("accepts credentials in a form or JSON body, and issues only the requested scopes", async () => {
    const { clientId: client_id, clientSecret: client_secret } = shared.merchant;
    const members = { grant_type: "client_credentials", client_id, client_secret, scope: "core" };
    const json = { "content-type": "application/json" };
    for (const answer of [
      await ask(new URLSearchParams(members).toString()),
      await ask(JSON.stringify(members), json),
    ]) {
      const { access_token: token, scope } = validated("token", answer);
      expect(scope).toBe("core");
      expect((await shared.call("POST", "/v1/refunds", { json: {}, token })).status).toBe(403);
    }
    // RFC 6749, section 3.2: what is unknown or empty is ignored.
    const answer = await ask(`${GRANT}&audience=x&scope=`, { authorization });
    expect(answer.status).toBe(200);
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

  it("names the accepted media types when it refuses another one", async () => {
    const answer = await ask("x", { "content-type": "text/plain" });
    const { status, errorDetails } = validated("problem", answer);
    expect([status, errorDetails.errorMessage]).toEqual([
      415,
      expect.stringContaining("a form or"),
    ]);
  });
});

async function openIssued(
  issuer: Partial<TokenIssuer> = {},
  { alg, ...options }: OpenOptions & { readonly alg?: string } = {},
) {
  const key = await newKey("k1", alg);
  const keys = await openKeyServer(key);
  const { issuer: name, jwksUrl } = keys;
  const tokenIssuer = { issuer: name, jwksUrl, audience: "countersign", ...issuer };
  const service = await openService({ ...options, tokenIssuer });
  /** The answer to a call with a JWT of these claims. */
  const getWith = async (claims: object = {}, header: object = {}, signer = key) => {
    const own = { merchant_id: service.merchant.id, ...claims };
    return get(service, await jwtOf(signer, own, header));
  };
  const statusWith = async (...given: Parameters<typeof getWith>): Promise<number> =>
    (await getWith(...given)).status;
  return { ...service, keys, key, getWith, statusWith };
}

describe("a JWT of an external issuer", () => {
  const at = Date.parse("2026-11-20T15:00:00.000Z") / 1000;

  it("is accepted when signed with ES256, RS256, PS256 or Ed25519, with one request for the keys", async () => {
    for (const alg of ["ES256", "RS256", "PS256", "Ed25519"]) {
      const { statusWith, keys } = await openIssued({}, { alg });
      expect([await statusWith(), await statusWith(), keys.asked()]).toEqual([404, 404, 1]);
    }
    const { statusWith } = await openIssued({ algorithms: ["RS256"] });
    expect(await statusWith()).toBe(401);
  });

  it("acts for the merchant that it names, with its scopes, which may be a list under another claim", async () => {
    const { statusWith, getWith } = await openIssued();
    expect(await statusWith({ scope: "core" })).toBe(404);
    const code = "INSUFFICIENT_SCOPE";
    expect(refusal(await getWith({ scope: "payments" }))).toEqual({ status: 403, code });
    const other = await openIssued({ scopeClaim: "scp", merchantClaim: "tenant" });
    const tenant = other.merchant.id;
    expect(await other.statusWith({ scp: ["core", 7], tenant })).toBe(404);
    expect(await other.statusWith({ tenant })).toBe(403);
    expect(await other.statusWith({ scp: 7, tenant })).toBe(403);
  });

  it("counts against the rate of its client", async () => {
    const { standard } = profiles;
    const rateLimit = { ...standard.rateLimit, othersPerSecond: 1 };
    const profile = { ...standard, rateLimit };
    const { statusWith } = await openIssued({}, { limitsRates: true, profile });
    expect(await statusWith({ jti: "a" })).toBe(404);
    expect(await statusWith({ jti: "b" })).toBe(429);
    expect(await statusWith({ client_id: "another" })).toBe(404);
  });

  it("is refused with 401 for a wrong issuer, audience, time, merchant or type", async () => {
    const opened = await openIssued({ type: "at+jwt", clockToleranceSeconds: 10 });
    const typ = { typ: "at+jwt" };
    for (const claims of [
      { iss: "https://other.example" },
      { iss: undefined },
      { aud: "others" },
      { aud: undefined },
      { exp: undefined },
      { exp: at - 10 },
      { nbf: at + 11 },
      { merchant_id: undefined },
      { merchant_id: { $ne: "" } },
      { merchant_id: "mer_none" },
    ]) {
      const answer = await opened.getWith(claims, typ);
      const unauthenticated = { status: 401, code: "UNAUTHENTICATED" };
      expect([claims, refusal(answer)]).toEqual([claims, unauthenticated]);
      expect(answer.headers["www-authenticate"]).toContain('error="invalid_token"');
    }
    expect(await opened.statusWith({}, { typ: "JWT" })).toBe(401);
    // Off by the tolerance.
    expect(await opened.statusWith({ exp: at - 9 }, typ)).toBe(404);
    expect(await opened.statusWith({ nbf: at + 10 }, typ)).toBe(404);
  });

  it("is refused with 401 when it is unsigned, altered, or signed with a foreign or public key", async () => {
    const opened = await openIssued({}, { alg: "RS256" });
    const { merchant, key, keys } = opened;
    const jwt = await jwtOf(key, { merchant_id: merchant.id });
    const [head = "", payload = "", signature = ""] = jwt.split(".");
    const header = (alg: string): string => base64url.encode(JSON.stringify({ alg, kid: "k1" }));
    const signed = `${header("HS256")}.${payload}`;
    const mac = createHmac("sha256", JSON.stringify(key.jwk)).update(signed).digest("base64url");
    const other = { iss: keys.issuer, merchant_id: merchant.id, x: 1 };
    const altered = base64url.encode(JSON.stringify(other));
    const forged = ["none", "None", "NONE"].map((alg) => `${header(alg)}.${payload}.`);
    for (const token of [...forged, `${signed}.${mac}`, `${head}.${altered}.${signature}`])
      expect((await get(opened, token)).status).toBe(401);
    expect((await get(shared, jwt)).status).toBe(401);
    const foreign = await newKey("k1", "RS256");
    for (const extra of [{}, { jwk: foreign.jwk }, { jku: "http://127.0.0.1:1/keys" }])
      expect(await opened.statusWith({}, extra, foreign)).toBe(401);
  });
});

describe("the issuer's keys", () => {
  it("may be several without a key id in the token", async () => {
    const { keys, statusWith } = await openIssued();
    const [other, mine, foreign] = [await newKey("a"), await newKey("b"), await newKey("c")];
    keys.publish(other, mine);
    expect(await statusWith({}, { kid: undefined }, mine)).toBe(404);
    expect(await statusWith({}, { kid: undefined }, foreign)).toBe(401);
  });

  it("are fetched again for unknown key ids only after half a minute, since strangers choose them", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { keys, key, statusWith } = await openIssued();
    expect(await statusWith()).toBe(404);
    for (const kid of ["x1", "x2", "x3"]) expect(await statusWith({}, { kid })).toBe(401);
    const next = await newKey("k2");
    keys.publish(key, next);
    expect(await statusWith({}, {}, next)).toBe(401);
    expect(keys.asked()).toBe(1);
    vi.setSystemTime(Date.now() + 30_001);
    expect(await statusWith({}, {}, next)).toBe(404);
    expect(keys.asked()).toBe(2);
  });

  it("serve for ten minutes while the issuer is down, and no longer", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { keys, statusWith } = await openIssued();
    expect(await statusWith()).toBe(404);
    await keys.stop();
    vi.setSystemTime(Date.now() + 599_000);
    expect(await statusWith()).toBe(404);
    vi.setSystemTime(Date.now() + 2000);
    expect(await statusWith()).toBe(503);
  });

  it("are reported as 503 when the issuer is down or answers no keys, and other tokens work", async () => {
    const answers: [status?: number, text?: string][] = [
      [],
      [500],
      [302],
      [200, "<html>"],
      [200, "{}"],
    ];
    for (const [status, text] of answers) {
      const opened = await openIssued();
      if (status === undefined) await opened.keys.stop();
      else opened.keys.answerWith(status, text);
      const answer = await opened.getWith();
      expect(refusal(answer)).toEqual({ status: 503, code: "SERVICE_UNAVAILABLE" });
      expect(answer.headers["retry-after"]).toBe("1");
      expect((await get(opened, opened.merchant.token)).status).toBe(404);
    }
  });

  it("are refused at the start when the issuer's description is invalid", async () => {
    const issuer = { issuer: "i", jwksUrl: "https://i.example/keys", audience: "a" };
    for (const change of [
      { algorithms: ["HS256"] },
      { algorithms: ["none"] },
      { algorithms: [] },
      { jwksUrl: "http://i.example/keys" },
      { jwksUrl: "keys" },
      { audience: "" },
      { issuer: undefined },
      { clockToleranceSeconds: 301 },
      { clockToleranceSeconds: "30" },
    ]) {
      // A document from outside, which no compiler has seen.
      const tokenIssuer = { ...issuer, ...change } as TokenIssuer;
      await expect(openService({ tokenIssuer })).rejects.toThrow(TypeError);
    }
  });
});
