import { base64url } from "jose";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { TokenIssuer } from "../../src/http/token-issuer.ts";
import type { OpenOptions, TestAnswer, TestService } from "../open-service.ts";
import { openService } from "../open-service.ts";
import { refusal } from "../validated.ts";
import { jwtOf, newKey, openKeyServer, type IssuerKey, type KeyServer } from "./key-server.ts";

interface Opened extends TestService {
  readonly keys: KeyServer;
  readonly key: IssuerKey;
  /** The status of a call with a token of these claims. */
  readonly statusWith: (claims: Record<string, unknown>) => Promise<number>;
}

async function open(
  issuer: Partial<TokenIssuer> = {},
  options: OpenOptions & { readonly alg?: string } = {},
): Promise<Opened> {
  const key = await newKey("k1", options.alg);
  const keys = await openKeyServer(key);
  const service = await openService({
    ...options,
    tokenIssuer: {
      issuer: keys.issuer,
      jwksUrl: keys.jwksUrl,
      audience: "countersign",
      ...issuer,
    },
  });
  const statusWith: Opened["statusWith"] = async (claims) => {
    const own = { merchant_id: service.merchant.id, ...claims };
    return (await get(service, await jwtOf(key, { claims: own }))).status;
  };
  return { ...service, keys, key, statusWith };
}

/** 404 is the answer of a call that has passed authentication and scope. */
const get = ({ call }: TestService, token: string): Promise<TestAnswer> =>
  call("GET", "/v1/customers/c", { token });

describe("a JWT of an outside issuer", () => {
  it.each(["ES256", "RS256", "PS256", "Ed25519"])("signed with %s is a token", async (alg) => {
    const { statusWith, keys } = await open({}, { alg });
    expect([await statusWith({}), await statusWith({})]).toEqual([404, 404]);
    expect(keys.asked()).toBe(1);
  });

  it("acts for the merchant that it names, with its scopes alone", async () => {
    const opened = await open();
    expect(await opened.statusWith({ scope: "core" })).toBe(404);
    const token = await jwtOf(opened.key, {
      claims: { merchant_id: opened.merchant.id, scope: "payments" },
    });
    const answer = await get(opened, token);
    expect(refusal(answer)).toEqual({ status: 403, code: "INSUFFICIENT_SCOPE" });
    expect(await opened.statusWith({ merchant_id: "mer_unknown" })).toBe(401);
  });

  it("may have its scopes as a list, and its claims under other names", async () => {
    const { statusWith, merchant } = await open({ scopeClaim: "scp", merchantClaim: "tenant" });
    expect(await statusWith({ scp: ["core", 7], tenant: merchant.id })).toBe(404);
    expect(await statusWith({ tenant: merchant.id })).toBe(403);
    expect(await statusWith({ scp: 7, tenant: merchant.id })).toBe(403);
  });

  it("is limited together with its client's others", async () => {
    const profile = (await import("@countersign/schemas/profiles")).profiles.standard;
    const rateLimit = { ...profile.rateLimit, othersPerSecond: 1 };
    const { statusWith } = await open(
      {},
      { limitsRates: true, profile: { ...profile, rateLimit } },
    );
    expect(await statusWith({ jti: "a" })).toBe(404);
    expect(await statusWith({ jti: "b" })).toBe(429);
    expect(await statusWith({ client_id: "another" })).toBe(404);
  });

  const at = Date.parse("2026-11-20T15:00:00.000Z") / 1000;
  it.each([
    ["of another issuer", { iss: "https://other.example" }],
    ["without an issuer", { iss: undefined }],
    ["for another audience", { aud: "others" }],
    ["without an audience", { aud: undefined }],
    ["that has expired", { exp: at - 31 }],
    ["that never expires", { exp: undefined }],
    ["that is not valid yet", { nbf: at + 31 }],
    ["of no merchant", { merchant_id: undefined }],
    ["whose merchant is no text", { merchant_id: { $ne: "" } }],
  ])("%s is 401 invalid_token", async (_, claims) => {
    const opened = await open();
    const token = await jwtOf(opened.key, {
      claims: { merchant_id: opened.merchant.id, ...claims },
    });
    const answer = await get(opened, token);
    expect(refusal(answer)).toEqual({ status: 401, code: "UNAUTHENTICATED" });
    expect(answer.headers["www-authenticate"]).toContain('error="invalid_token"');
  });

  it("may be off by the clock tolerance, and no second more", async () => {
    const { statusWith } = await open({ clockToleranceSeconds: 10 });
    expect(await statusWith({ exp: at - 9 })).toBe(404);
    expect(await statusWith({ exp: at - 10 })).toBe(401);
    expect(await statusWith({ nbf: at + 10 })).toBe(404);
    expect(await statusWith({ nbf: at + 11 })).toBe(401);
  });

  it("must be of the type that is asked for", async () => {
    const opened = await open({ type: "at+jwt" });
    const claims = { merchant_id: opened.merchant.id };
    const typed = await jwtOf(opened.key, { claims, header: { typ: "at+jwt" } });
    const untyped = await jwtOf(opened.key, { claims, header: { typ: "JWT" } });
    expect((await get(opened, typed)).status).toBe(404);
    expect((await get(opened, untyped)).status).toBe(401);
  });
});

describe("a forged JWT", () => {
  it("without a signature, with alg none, is 401", async () => {
    const opened = await open();
    const [, payload = ""] = (
      await jwtOf(opened.key, { claims: { merchant_id: opened.merchant.id } })
    ).split(".");
    for (const alg of ["none", "None", "NONE"]) {
      const header = base64url.encode(JSON.stringify({ alg, kid: "k1" }));
      expect((await get(opened, `${header}.${payload}.`)).status).toBe(401);
    }
  });

  it("whose HMAC key is the issuer's public key is 401", async () => {
    const opened = await open({}, { alg: "RS256" });
    const { createHmac } = await import("node:crypto");
    const [, payload = ""] = (
      await jwtOf(opened.key, { claims: { merchant_id: opened.merchant.id } })
    ).split(".");
    const header = base64url.encode(JSON.stringify({ alg: "HS256", kid: "k1" }));
    const mac = createHmac("sha256", JSON.stringify(opened.key.jwk)).update(`${header}.${payload}`);
    expect((await get(opened, `${header}.${payload}.${mac.digest("base64url")}`)).status).toBe(401);
  });

  it("of a key that the issuer does not publish is 401, whatever the header says of it", async () => {
    const opened = await open();
    const foreign = await newKey("k1");
    const claims = { merchant_id: opened.merchant.id };
    const headers = [{}, { jwk: foreign.jwk }, { jku: "http://127.0.0.1:1/keys" }];
    for (const header of headers) {
      expect((await get(opened, await jwtOf(foreign, { claims, header }))).status).toBe(401);
    }
  });

  it("whose signature uses an algorithm outside the list is 401", async () => {
    const { statusWith } = await open({ algorithms: ["RS256"] });
    expect(await statusWith({})).toBe(401);
  });

  it("that was changed after it was signed is 401", async () => {
    const opened = await open();
    const token = await jwtOf(opened.key, { claims: { merchant_id: "mer_other" } });
    const [header, , signature] = token.split(".");
    const payload = base64url.encode(
      JSON.stringify({ iss: opened.keys.issuer, merchant_id: opened.merchant.id }),
    );
    expect((await get(opened, `${header}.${payload}.${signature}`)).status).toBe(401);
  });
});

describe("the issuer's keys", () => {
  it("may be several of one kind, of which the token names none", async () => {
    const opened = await open();
    const [other, mine] = [await newKey("a"), await newKey("b")];
    opened.keys.publish(other, mine);
    const claims = { merchant_id: opened.merchant.id };
    const header = { kid: undefined };
    expect((await get(opened, await jwtOf(mine, { claims, header }))).status).toBe(404);
    const foreign = await newKey("c");
    expect((await get(opened, await jwtOf(foreign, { claims, header }))).status).toBe(401);
  });

  it("are not asked for again for each unknown one: strangers choose the name", async () => {
    const opened = await open();
    await opened.statusWith({});
    const claims = { merchant_id: opened.merchant.id };
    for (const kid of ["x1", "x2", "x3"]) {
      const token = await jwtOf(opened.key, { claims, header: { kid } });
      expect((await get(opened, token)).status).toBe(401);
    }
    expect(opened.keys.asked()).toBe(1);
  });

  it("that are new are asked for once half a minute has passed", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const opened = await open();
    await opened.statusWith({});
    const next = await newKey("k2");
    opened.keys.publish(opened.key, next);
    const token = await jwtOf(next, { claims: { merchant_id: opened.merchant.id } });
    expect((await get(opened, token)).status).toBe(401);
    vi.setSystemTime(Date.now() + 30_001);
    expect((await get(opened, token)).status).toBe(404);
    expect(opened.keys.asked()).toBe(2);
  });

  it("serve for ten minutes while the issuer is down, and no longer", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const opened = await open();
    expect(await opened.statusWith({})).toBe(404);
    await opened.keys.stop();
    vi.setSystemTime(Date.now() + 599_000);
    expect(await opened.statusWith({})).toBe(404);
    vi.setSystemTime(Date.now() + 2000);
    expect(await opened.statusWith({})).toBe(503);
  });

  it.each<[string, (keys: KeyServer) => void | Promise<void>]>([
    ["the issuer is down", (keys) => keys.stop()],
    ["the issuer answers 500", (keys) => keys.answerWith(500)],
    ["the issuer redirects", (keys) => keys.answerWith(302)],
    ["what comes is no JSON", (keys) => keys.answerWith(200, "<html>")],
    ["what comes are no keys", (keys) => keys.answerWith(200, "{}")],
  ])("that cannot be had since %s are 503, not 401: the token may be good", async (_, fail) => {
    const opened = await open();
    await fail(opened.keys);
    const token = await jwtOf(opened.key, { claims: { merchant_id: opened.merchant.id } });
    const answer = await get(opened, token);
    expect(refusal(answer)).toEqual({ status: 503, code: "SERVICE_UNAVAILABLE" });
    expect(answer.headers["retry-after"]).toBe("1");
    // This service's own tokens need no issuer.
    expect((await get(opened, opened.merchant.token)).status).toBe(404);
  });
});

describe("an issuer that is not described as it must be", () => {
  const issuer = { issuer: "i", jwksUrl: "https://i.example/keys", audience: "a" };
  it.each<[string, object]>([
    ["shared keys", { algorithms: ["HS256"] }],
    ["no signature", { algorithms: ["none"] }],
    ["no algorithm", { algorithms: [] }],
    ["keys that come unprotected", { jwksUrl: "http://i.example/keys" }],
    ["keys from nowhere", { jwksUrl: "keys" }],
    ["no audience", { audience: "" }],
    ["no issuer", { issuer: undefined }],
    ["a tolerance without bounds", { clockToleranceSeconds: 301 }],
    ["a tolerance that is no number", { clockToleranceSeconds: "30" }],
  ])("is refused at the start: %s", async (_, change) => {
    // A document from outside, which no compiler has seen.
    const tokenIssuer = { ...issuer, ...change } as TokenIssuer;
    await expect(openService({ tokenIssuer })).rejects.toThrow(TypeError);
  });
});

describe("without an outside issuer", () => {
  it("a JWT is a token that nobody knows", async () => {
    const key = await newKey("k1");
    const opened = await openService();
    const token = await jwtOf(key, { claims: { merchant_id: opened.merchant.id } });
    expect((await get(opened, token)).status).toBe(401);
  });
});
