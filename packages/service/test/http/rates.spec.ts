import { profiles, type Profile } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { RateLimiter, sourceOf } from "../../src/http/limits.ts";
import { textOf } from "../../src/store/driver.ts";
import {
  openWatched,
  type OpenOptions,
  type TestAnswer,
  type TestService,
} from "../open-service.ts";
import type { TestMerchant } from "../payments.ts";
import { refusal, validated } from "../validated.ts";

const { standard } = profiles;

/** A service with limits, whose monotonic time stands until `pass` moves it. */
async function open(limits: Partial<Profile["rateLimit"]> = {}, options: OpenOptions = {}) {
  const opened = await openWatched({
    limitsRates: () => true,
    profile: { ...standard, rateLimit: { ...standard.rateLimit, ...limits } },
    ...options,
  });
  return { ...opened, pass: (ms: number): void => opened.clock.advance(ms) };
}

async function statuses(count: number, call: () => Promise<TestAnswer>): Promise<number[]> {
  const seen: number[] = [];
  for (let i = 0; i < count; i++) seen.push((await call()).status);
  return seen;
}
const times = (count: number, status: number): number[] =>
  Array.from({ length: count }, () => status);

const getToken = (
  { call }: TestService,
  client: Pick<TestMerchant, "clientId" | "clientSecret">,
  headers: Record<string, string> = {},
): Promise<TestAnswer> => {
  const { clientId: client_id, clientSecret: client_secret } = client;
  const json = { grant_type: "client_credentials", client_id, client_secret };
  return call("POST", "/v1/tokens", { token: null, json, headers });
};
const from = (ip: string): Record<string, string> => ({ "x-forwarded-for": ip });
const wrong = { clientId: "cli_none", clientSecret: "x".repeat(40) };

it("[P-LIMIT-RATE] a rate limiter accepts a burst and then one call for each part of the period, forgets the keys seen longest ago beyond 10,000, and sees an IPv6 network as one source", () => {
  const limiter = new RateLimiter({ calls: 4, perMs: 1000 });
  expect([1, 2, 3, 4, 5].map(() => limiter.take("a", 0))).toEqual([0, 0, 0, 0, 250]);
  expect([249, 250, 250].map((now) => limiter.take("a", now))).toEqual([1, 0, 250]);
  const single = new RateLimiter({ calls: 1, perMs: 1000 });
  for (let i = 0; i < 20_000; i++) single.take(`key ${i}`, 0);
  expect([single.take("key 10000", 0), single.take("key 9999", 0)]).toEqual([1000, 0]);
  for (const [ip, source] of [
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "20010db800010002::/64"],
    ["2001:db8:1:2:ffff::1", "20010db800010002::/64"],
    ["not an address", "unknown"],
    [undefined, "unknown"],
  ] as const)
    expect(sourceOf({ ip })).toBe(source);
});

describe("the calls of one client", () => {
  const get = (opened: TestService, token?: string) => () =>
    opened.call("GET", "/v1/customers/c", token === undefined ? {} : { token });

  it("other than refunds are limited together, over all its tokens, apart from other clients'", async () => {
    const opened = await open({ othersPerSecond: 3 });
    const newToken = async (): Promise<string> =>
      validated("token", await getToken(opened, opened.merchant)).access_token;
    const [token, second] = [await newToken(), await newToken()];
    expect(await statuses(2, get(opened, token))).toEqual([404, 404]);
    const subscribed = await opened.call("POST", "/v1/webhook/subscribe", { json: {}, token });
    expect(subscribed.status).toBe(400);
    expect(await statuses(1, get(opened, second))).toEqual([429]);
    expect((await opened.call("POST", "/v1/refunds", { json: {}, token })).status).toBe(400);
    const other = await opened.addMerchant();
    expect(await statuses(1, get(opened, other.token))).toEqual([404]);
  });

  it("are limited after authentication and scope and before the media types", async () => {
    const { call, addMerchant, pass } = await open({ refundsPerSecond: 1, tokensPerMinute: 1 });
    const { token: coreOnly } = await addMerchant(["core"]);
    await call("POST", "/v1/refunds", { json: {} });
    const headers = { accept: "text/html", "content-type": "text/plain" };
    const sent = { text: "x", headers };
    const answers = [
      await call("PATCH", "/v1/refunds", { ...sent, token: null }),
      await call("POST", "/v1/refunds", { ...sent, token: null }),
      await call("POST", "/v1/refunds", { ...sent, token: coreOnly }),
      await call("POST", "/v1/refunds", sent),
      await call("POST", "/v1/tokens", { ...sent, token: null }),
      await call("PATCH", "/v1/tokens", { ...sent, token: null }),
    ];
    const expected = [405, 401, 403, 429, 406, 405];
    expect(answers.map(({ status }) => status)).toEqual(expected);
    pass(1000);
    expect((await call("POST", "/v1/refunds", sent)).status).toBe(406);
  });
});

describe("token requests", () => {
  it("are limited to 10 a minute for one client, and those that succeed do not count against their source", async () => {
    const opened = await open();
    for (let i = 0; i < 11; i++)
      expect((await getToken(opened, await opened.addMerchant())).status).toBe(200);
    const own = () => getToken(opened, opened.merchant);
    expect(await statuses(10, own)).toEqual(times(10, 200));
    const answer = await own();
    expect(refusal(answer)).toEqual({ status: 429, code: "RATE_LIMITED" });
    expect(answer.headers["retry-after"]).toBe("6");
    opened.pass(6000);
    expect(await statuses(2, own)).toEqual([200, 429]);
  });

  it("B17 that guess a client's secret are limited to 10 a minute from one source, and lock out neither the client itself nor another one nor another source", async () => {
    const opened = await open({}, { trustedProxies: ["loopback"] });
    const victim = await opened.addMerchant();
    const guess = () =>
      getToken(opened, { ...wrong, clientId: victim.clientId }, from("192.0.2.1"));
    const own = (client: TestMerchant, ip: string) => getToken(opened, client, from(ip));
    expect(await statuses(11, guess)).toEqual([...times(10, 401), 429]);
    expect((await own(victim, "192.0.2.1")).status).toBe(200);
    expect((await own(victim, "192.0.2.2")).status).toBe(200);
    expect(await statuses(3, guess)).toEqual(times(3, 429));
    expect(await statuses(10, () => own(opened.merchant, "192.0.2.1"))).toEqual(times(10, 200));
    opened.pass(6000);
    expect(await statuses(2, guess)).toEqual([401, 429]);
  });

  it("that guess concurrently are limited like those that guess in turn", async () => {
    const opened = await open();
    const guess = () => getToken(opened, { ...wrong, clientId: opened.merchant.clientId });
    const answers = await Promise.all(Array.from({ length: 15 }, guess));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
  });

  it("count for the source in x-forwarded-for only when a trusted proxy sent it", async () => {
    for (const [trustedProxies, second] of [
      [["loopback"], 401],
      [[], 429],
    ] as const) {
      const opened = await open({ tokensPerMinute: 1 }, { trustedProxies });
      expect((await getToken(opened, wrong, from("192.0.2.1"))).status).toBe(401);
      expect((await getToken(opened, wrong, from("192.0.2.2"))).status).toBe(second);
    }
  });
});

describe("wrong bearer tokens", () => {
  const statusOf = async ({ call }: TestService, token: string): Promise<number> =>
    (await call("GET", "/v1/customers/c", { token })).status;

  it("B17 are answered 429 beyond the limit of their source, whose genuine tokens pass, also on first use", async () => {
    const opened = await open({ othersPerSecond: 5 });
    const { call } = opened;
    const guess = (token: string) => call("GET", "/v1/customers/c", { token });
    expect(await statuses(6, () => guess("cst_unknown"))).toEqual([...times(5, 401), 429]);
    const refused = await guess("cst_unknown-2");
    expect(refusal(refused)).toEqual({ status: 429, code: "RATE_LIMITED" });
    expect(refused.headers["retry-after"]).toBe("1");
    expect(await statusOf(opened, opened.merchant.token)).toBe(404);
    expect(await statusOf(opened, (await opened.addMerchant()).token)).toBe(404);
    opened.pass(200);
    expect(await statuses(2, () => guess("cst_unknown"))).toEqual([401, 429]);
  });

  it("are looked up one at a time beyond the limit of their source", async () => {
    let running = 0;
    let most = 0;
    const opened = await open({ othersPerSecond: 1 });
    const { call, hooks } = opened;
    const guess = () => call("GET", "/v1/customers/c", { token: "cst_unknown" });
    expect((await guess()).status).toBe(401);
    hooks.query = async (sql) => {
      if (!textOf(sql, "sqlite").includes("hash =")) return;
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
    };
    const answers = await Promise.all(Array.from({ length: 10 }, guess));
    expect(answers.map(({ status }) => status)).toEqual(times(10, 429));
    expect(most).toBe(1);
  });
});

describe("a wall clock", () => {
  it("that is set back by an hour refuses no call, and one that is set forward admits no more", async () => {
    const { call, clock } = await open({ othersPerSecond: 2 });
    const get = () => call("GET", "/v1/customers/c");
    expect(await statuses(1, get)).toEqual([404]);
    clock.step(-3_600_000);
    expect(await statuses(1, get)).toEqual([404]);
    clock.step(7_200_000);
    expect(await statuses(1, get)).toEqual([429]);
  });
});
