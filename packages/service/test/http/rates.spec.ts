import { profiles, type Profile } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import type { OpenOptions, TestAnswer, TestMerchant, TestService } from "../open-service.ts";
import { refusal, validated } from "../validated.ts";
import { watchRefusals } from "../watch-refusals.ts";

const openWatched = watchRefusals();
const { standard } = profiles;

const openService = (
  rateLimit: Partial<Profile["rateLimit"]> = {},
  options: OpenOptions = {},
): Promise<TestService> =>
  openWatched({
    ...options,
    limitsRates: true,
    profile: { ...standard, rateLimit: { ...standard.rateLimit, ...rateLimit } },
  });

/** The statuses of so many calls, one after the other. */
async function statuses(count: number, call: () => Promise<TestAnswer>): Promise<number[]> {
  const seen: number[] = [];
  for (let i = 0; i < count; i++) seen.push((await call()).status);
  return seen;
}

const times = (count: number, status: number): number[] =>
  Array.from({ length: count }, () => status);

describe("the calls of one client", () => {
  it("are 20 refunds at once, and 20 in each second; the next is 429 with Retry-After", async () => {
    const { call, clock } = await openService();
    const refund = (): Promise<TestAnswer> => call("POST", "/v1/refunds", { json: {} });
    expect(await statuses(20, refund)).toEqual(times(20, 400));
    const answer = await refund();
    expect(refusal(answer)).toEqual({ status: 429, code: "RATE_LIMITED" });
    expect(answer.headers["retry-after"]).toBe("1");
    clock.advance(50);
    expect(await statuses(2, refund)).toEqual([400, 429]);
    clock.advance(1000);
    expect(await statuses(21, refund)).toEqual([...times(20, 400), 429]);
  });

  it("are limited apart from refunds, all other calls together", async () => {
    const { call } = await openService({ othersPerSecond: 2 });
    expect((await call("GET", "/v1/customers/c")).status).toBe(404);
    expect((await call("POST", "/v1/webhook/subscribe", { json: {} })).status).toBe(400);
    expect((await call("PUT", "/v1/webhook/unsubscribe", { json: {} })).status).toBe(429);
    expect((await call("POST", "/v1/refunds", { json: {} })).status).toBe(400);
  });

  it("leave the other clients alone", async () => {
    const { call, addMerchant } = await openService({ othersPerSecond: 1 });
    const { token } = await addMerchant();
    expect(await statuses(2, () => call("GET", "/v1/customers/c"))).toEqual([404, 429]);
    expect((await call("GET", "/v1/customers/c", { token })).status).toBe(404);
  });

  it("are counted over all its tokens", async () => {
    const open = await openService({ othersPerSecond: 1 });
    const tokens = [await tokenOf(open), await tokenOf(open)];
    const answers = tokens.map((token) => open.call("GET", "/v1/customers/c", { token }));
    const seen = (await Promise.all(answers)).map(({ status }) => status);
    expect(seen.toSorted((a, b) => a - b)).toEqual([404, 429]);
  });

  it("that were refused before the rate is looked at count for nothing", async () => {
    const { call, addMerchant } = await openService({ othersPerSecond: 1 });
    const { token } = await addMerchant(["payments"]);
    const call403 = (): Promise<TestAnswer> => call("GET", "/v1/customers/c", { token });
    expect(await statuses(5, call403)).toEqual(times(5, 403));
  });
});

describe("the rate's place among the checks", () => {
  it("is after authentication and scope, before the media types", async () => {
    const { call, addMerchant } = await openService({ refundsPerSecond: 1 });
    const { token: coreOnly } = await addMerchant(["core"]);
    await call("POST", "/v1/refunds", { json: {} });
    const headers = { accept: "text/html", "content-type": "text/plain" };
    const seen = [
      await call("PATCH", "/v1/refunds", { token: null, text: "x", headers }),
      await call("POST", "/v1/refunds", { token: null, text: "x", headers }),
      await call("POST", "/v1/refunds", { token: coreOnly, text: "x", headers }),
      await call("POST", "/v1/refunds", { text: "x", headers }),
    ];
    expect(seen.map(({ status }) => status)).toEqual([405, 401, 403, 429]);
  });

  it("of token requests is before the media types, after the method", async () => {
    const { call } = await openService({ tokensPerMinute: 1 });
    const headers = { accept: "text/html", "content-type": "text/plain" };
    const sent = { token: null, text: "x", headers };
    expect((await call("POST", "/v1/tokens", sent)).status).toBe(406);
    expect((await call("PATCH", "/v1/tokens", sent)).status).toBe(405);
    expect(refusal(await call("POST", "/v1/tokens", sent)).status).toBe(429);
  });
});

describe("token requests", () => {
  it("of one client are 10 a minute", async () => {
    const open = await openService();
    expect(await statuses(10, () => ask(open, open.merchant))).toEqual(times(10, 200));
    const answer = await ask(open, open.merchant);
    expect(refusal(answer)).toEqual({ status: 429, code: "RATE_LIMITED" });
    expect(answer.headers["retry-after"]).toBe("6");
    open.clock.advance(6000);
    expect(await statuses(2, () => ask(open, open.merchant))).toEqual([200, 429]);
  });

  it("that guess a secret are 10 a minute from one source, whatever client they name", async () => {
    const open = await openService();
    let guesses = 0;
    const guess = (): Promise<TestAnswer> =>
      ask(open, { clientId: `cli_${guesses++ % 3}`, clientSecret: "x".repeat(40) });
    expect(await statuses(11, guess)).toEqual([...times(10, 401), 429]);
    // The right secret is not looked at either: a guess is no cheaper for being right.
    expect((await ask(open, open.merchant)).status).toBe(429);
  });

  it("of clients that prove who they are do not count against their source", async () => {
    const open = await openService({ tokensPerMinute: 2 });
    for (let i = 0; i < 4; i++) {
      expect((await ask(open, await open.addMerchant())).status).toBe(200);
    }
  });

  it("by a stranger who knows a client's id keep it from none of its own", async () => {
    const open = await openService({}, { trustedProxies: ["loopback"] });
    const wrong = { clientId: open.merchant.clientId, clientSecret: "x".repeat(40) };
    const guess = (): Promise<TestAnswer> => ask(open, wrong, { "x-forwarded-for": "192.0.2.1" });
    expect(await statuses(11, guess)).toEqual([...times(10, 401), 429]);
    const own = { "x-forwarded-for": "192.0.2.2" };
    expect((await ask(open, open.merchant, own)).status).toBe(200);
  });

  it("are told apart by x-forwarded-for where a trusted proxy says so, and never otherwise", async () => {
    const limits = { tokensPerMinute: 1 };
    const wrong = { clientId: "cli_none", clientSecret: "x".repeat(40) };
    for (const [trustedProxies, expected] of [
      [["loopback"], [401, 401]],
      [[], [401, 429]],
    ] as const) {
      const open = await openService(limits, { trustedProxies });
      const sources = ["192.0.2.1", "192.0.2.2"].map((ip) => ({ "x-forwarded-for": ip }));
      const seen: number[] = [];
      for (const headers of sources) seen.push((await ask(open, wrong, headers)).status);
      expect(seen).toEqual(expected);
    }
  });
});

describe("a service that limits no rates", () => {
  it("takes as many calls as there are", async () => {
    const { call } = await openWatched({
      profile: { ...standard, rateLimit: { ...standard.rateLimit, othersPerSecond: 1 } },
      limitsRates: false,
    });
    expect(await statuses(5, () => call("GET", "/v1/customers/c"))).toEqual(times(5, 404));
  });
});

function ask(
  { call }: TestService,
  { clientId, clientSecret }: Pick<TestMerchant, "clientId" | "clientSecret">,
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  const json = {
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
  };
  return call("POST", "/v1/tokens", { token: null, json, headers });
}

async function tokenOf(open: TestService): Promise<string> {
  return validated("token", await ask(open, open.merchant)).access_token;
}
