import { createHmac } from "node:crypto";
import { profiles } from "@countersign/schemas/profiles";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { TokenIssuer } from "../../src/http/auth/outside-tokens.ts";
import { listenHttp } from "../delivery/listening.ts";
import {
  openService,
  type OpenOptions,
  type TestAnswer,
  type TestService,
} from "../open-service.ts";
import { refusal } from "../validated.ts";

/** 404 is the answer of a call that has passed authentication and scope. */
const get = ({ call }: Pick<TestService, "call">, token: string): Promise<TestAnswer> =>
  call("GET", "/v1/customers/c", { token });

type IssuerKey = Awaited<ReturnType<typeof newKey>>;

async function newKey(kid: string, alg = "ES256") {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

const ISSUED_AT = Date.parse("2026-11-20T15:00:00.000Z") / 1000;

/** A service that accepts the JWTs of an issuer, whose keys are on a real socket. */
async function openIssued(
  issuer: Partial<TokenIssuer> = {},
  { published = [], ...options }: OpenOptions & { readonly published?: IssuerKey[] } = {},
) {
  const [key = await newKey("k1"), ...others] = published;
  /** Of the issuer: its keys, its answer in their place, and how often it was asked. */
  const keys = { published: [key, ...others], status: 200, text: "", asked: 0 };
  const server = await listenHttp((_request, response) => {
    keys.asked += 1;
    const all = JSON.stringify({ keys: keys.published.map(({ jwk }) => jwk) });
    response.writeHead(keys.status, { "content-type": "application/json" }).end(keys.text || all);
  });
  const name = { issuer: "https://issuer.example", audience: "countersign" };
  const jwksUrl = `http://127.0.0.1:${server.port}/keys`;
  const opened = await openService({ ...options, tokenIssuer: { ...name, jwksUrl, ...issuer } });
  /** A JWT of one hour with these claims and header. */
  const jwtWith = (claims: object = {}, header: object = {}, signer = key): Promise<string> =>
    new SignJWT({
      iss: name.issuer,
      aud: name.audience,
      iat: ISSUED_AT,
      exp: ISSUED_AT + 3600,
      scope: "payments core",
      client_id: "their-client",
      merchant_id: opened.merchant.id,
      ...claims,
    })
      .setProtectedHeader({ alg: signer.alg, kid: signer.kid, ...header })
      .sign(signer.privateKey);
  const getWith = async (...given: Parameters<typeof jwtWith>): Promise<TestAnswer> =>
    get(opened, await jwtWith(...given));
  const statusWith = async (...given: Parameters<typeof jwtWith>): Promise<number> =>
    (await getWith(...given)).status;
  return { ...opened, keys, key, stop: () => server.close(), jwtWith, getWith, statusWith };
}

describe("a JWT of an external issuer", () => {
  const algorithms = ["ES256", "RS256", "PS256", "Ed25519"];
  const published = Promise.all(algorithms.map((alg) => newKey(alg, alg)));

  it("is accepted when signed with ES256, RS256, PS256 or Ed25519, with one request for the keys", async () => {
    const own = await published;
    const { statusWith, keys } = await openIssued({}, { published: own });
    for (const key of own) expect([key.alg, await statusWith({}, {}, key)]).toEqual([key.alg, 404]);
    expect(keys.asked).toBe(1);
    const { statusWith: statusOf } = await openIssued({ algorithms: ["RS256"] });
    expect(await statusOf()).toBe(401);
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
      { exp: ISSUED_AT - 10 },
      { nbf: ISSUED_AT + 11 },
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
    expect(await opened.statusWith({ exp: ISSUED_AT - 9 }, typ)).toBe(404);
    expect(await opened.statusWith({ nbf: ISSUED_AT + 10 }, typ)).toBe(404);
  });

  it("is refused with 401 when it is unsigned, altered, or signed with a foreign or public key", async () => {
    const [, rsa] = await published;
    const opened = await openIssued({}, { published: rsa ? [rsa] : [] });
    const jwt = await opened.jwtWith();
    expect((await get(opened, jwt)).status).toBe(404);
    expect((await get(await openService(), jwt)).status).toBe(401);
    const [head = "", payload = "", signature = ""] = jwt.split(".");
    const encoded = (part: object): string =>
      Buffer.from(JSON.stringify(part)).toString("base64url");
    const signed = `${encoded({ alg: "HS256", kid: "RS256" })}.${payload}`;
    const mac = createHmac("sha256", JSON.stringify(rsa?.jwk)).update(signed).digest("base64url");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
    for (const token of [
      ...["none", "None", "NONE"].map((alg) => `${encoded({ alg, kid: "RS256" })}.${payload}.`),
      `${signed}.${mac}`,
      `${head}.${encoded({ ...claims, x: 1 })}.${signature}`,
    ])
      expect((await get(opened, token)).status).toBe(401);
    const foreign = await newKey("RS256", "RS256");
    for (const extra of [{}, { jwk: foreign.jwk }, { jku: "http://127.0.0.1:1/keys" }])
      expect(await opened.statusWith({}, extra, foreign)).toBe(401);
  });
});

describe("the issuer's keys", () => {
  it("may be several without a key id in the token", async () => {
    const { keys, statusWith } = await openIssued();
    const [other, mine, foreign] = [await newKey("a"), await newKey("b"), await newKey("c")];
    keys.published = [other, mine];
    expect(await statusWith({}, { kid: undefined }, mine)).toBe(404);
    expect(await statusWith({}, { kid: undefined }, foreign)).toBe(401);
  });

  it("are fetched again for unknown key ids only after half a minute, since strangers choose them, and serve for ten minutes while the issuer is down", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { keys, key, statusWith, stop } = await openIssued();
    expect(await statusWith()).toBe(404);
    for (const kid of ["x1", "x2", "x3"]) expect(await statusWith({}, { kid })).toBe(401);
    const next = await newKey("k2");
    keys.published = [key, next];
    expect(await statusWith({}, {}, next)).toBe(401);
    expect(keys.asked).toBe(1);
    vi.setSystemTime(Date.now() + 30_001);
    expect(await statusWith({}, {}, next)).toBe(404);
    expect(keys.asked).toBe(2);
    await stop();
    vi.setSystemTime(Date.now() + 599_000);
    expect(await statusWith()).toBe(404);
    vi.setSystemTime(Date.now() + 2000);
    expect(await statusWith()).toBe(503);
  });

  it("are reported as 503 when the issuer is down or answers no keys, and other tokens work", async () => {
    const { keys, getWith, merchant, stop, call } = await openIssued();
    for (const [status, text] of [
      [500, ""],
      [302, ""],
      [200, "<html>"],
      [200, "{}"],
      [0, ""],
    ] as const) {
      if (status === 0) await stop();
      Object.assign(keys, { status, text });
      const answer = await getWith();
      expect(refusal(answer)).toEqual({ status: 503, code: "SERVICE_UNAVAILABLE" });
      expect(answer.headers["retry-after"]).toBe("1");
      expect((await get({ call }, merchant.token)).status).toBe(404);
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
