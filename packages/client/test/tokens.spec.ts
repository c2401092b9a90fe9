import type { ServerResponse } from "node:http";
import { describe, expect, it, vi } from "vitest";
import {
  clientOf,
  errorOf,
  JSON_TYPE,
  lost,
  made,
  order,
  pending,
  problem,
  refundError,
  type Received,
} from "./fixtures.ts";

const credentials = { token: undefined, clientId: "merchant:7", clientSecret: "s3cret/+ %ü" };
const UNAUTHENTICATED = problem(401, "UNAUTHENTICATED");
const unavailable = { code: "CS_TOKEN_UNAVAILABLE", mayBeDone: false };

/** A provider that issues t1, t2, … and answers refunds with the last of them, if `isGood`. */
function issuing({ seconds = 3600, isGood = true } = {}) {
  const issued: string[] = [];
  const answer = (response: ServerResponse, { path, headers }: Received): void => {
    const isToken = path === "/v1/tokens";
    if (isToken) issued.push(`t${issued.length + 1}`);
    const isTaken = isToken || (headers.authorization === `Bearer ${issued.at(-1)}` && isGood);
    response.writeHead(isTaken ? 200 : 401, JSON_TYPE);
    const token = { access_token: issued.at(-1), token_type: "bearer", expires_in: seconds };
    response.end(JSON.stringify(isToken ? token : isTaken ? pending : {}));
  };
  return { issued, answer };
}

describe("the access token of client credentials (S 5.2)", () => {
  it("is requested once by 20 simultaneous calls, with a form and Basic of encoded halves (RFC 6749, section 2.3.1)", async () => {
    const options = { ...credentials, scopes: ["payments", "core"] };
    const { client, received } = await clientOf(issuing().answer, options);
    await Promise.all(Array.from({ length: 20 }, () => client.refund(order)));
    expect(received).toHaveLength(21);
    const [asked, call] = received;
    expect(asked).toMatchObject({
      method: "POST",
      path: "/v1/tokens",
      body: "grant_type=client_credentials&scope=payments+core",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    const basic = Buffer.from(asked?.headers.authorization?.slice(6) ?? "", "base64").toString();
    expect(basic).toBe("merchant%3A7:s3cret%2F%2B+%25%C3%BC");
    expect(call?.headers.authorization).toBe("Bearer t1");
  });

  it("is renewed once in the last minute of its life, while calls continue with the old one", async () => {
    const { issued, answer } = issuing();
    const { client, clock, received } = await clientOf((response, one) => {
      // The second token is never answered: no call may wait for it.
      if (one.path === "/v1/tokens" && issued.length > 0) return;
      answer(response, one);
    }, credentials);
    const requests = (): number => received.filter(({ path }) => path === "/v1/tokens").length;
    await client.refund(order);
    clock.elapse(3_539_999);
    await client.refund(order);
    expect(requests()).toBe(1);
    clock.elapse(1);
    await client.refund(order);
    await vi.waitFor(() => expect(requests()).toBe(2));
    await client.refund(order);
    expect(requests()).toBe(2);
    expect(received.at(-1)?.headers.authorization).toBe("Bearer t1");
  });

  it("that cannot be renewed early is requested again five seconds later", async () => {
    const { issued, answer } = issuing();
    const { client, clock, received } = await clientOf((response, one) => {
      if (one.path === "/v1/tokens" && issued.length > 0) response.writeHead(503).end();
      else answer(response, one);
    }, credentials);
    const requestsAfter = async (ms: number): Promise<number> => {
      clock.elapse(ms);
      await client.refund(order);
      // The failed request is over once the clock may elapse again.
      await vi.waitFor(() => expect(clock.pending).toEqual([]));
      return received.filter(({ path }) => path === "/v1/tokens").length;
    };
    expect(await requestsAfter(0)).toBe(1);
    expect(await requestsAfter(3_540_000)).toBe(2);
    expect(await requestsAfter(4999)).toBe(2);
    expect(await requestsAfter(1)).toBe(3);
  });

  it("is replaced once it has expired, whatever wall time says", async () => {
    const { client, clock, received } = await clientOf(
      issuing({ seconds: 100 }).answer,
      credentials,
    );
    await client.refund(order);
    clock.wallMs -= 3_600_000;
    clock.elapse(100_000);
    await client.refund(order);
    expect(received.at(-1)?.headers.authorization).toBe("Bearer t2");
  });

  it("is replaced once for 20 calls that find it revoked", async () => {
    const { issued, answer } = issuing();
    const { client } = await clientOf(answer, credentials);
    await client.refund(order);
    issued.push("the provider has revoked t1");
    await Promise.all(Array.from({ length: 20 }, () => client.refund(order)));
    expect(issued).toHaveLength(3);
  });

  it("is renewed once per call, however often the call is answered 401", async () => {
    const { issued, answer } = issuing({ isGood: false });
    const { error, received } = await refundError(answer, credentials);
    expect(error).toMatchObject({ code: "CS_CALL_REFUSED", status: 401, mayBeDone: false });
    expect([issued.length, received.length]).toEqual([2, 4]);
  });

  it("is requested again after a lost connection, but not once the provider refuses it", async () => {
    const refused = { status: 401, json: { error: "invalid_client" } };
    const answers = [lost, issuing().answer, made, refused];
    const { client, clock, received } = await clientOf(answers, credentials);
    expect(await client.refund(order)).toMatchObject({ refundId: "ref_1" });
    clock.elapse(3_600_000);
    const expected = { code: "CS_TOKEN_REFUSED", status: 401, errorCode: "invalid_client" };
    const error = await errorOf(client.refund(order));
    expect(error).toMatchObject({ ...expected, mayBeDone: false, attempts: 1 });
    expect(received).toHaveLength(4);
  });

  it("is unavailable if the endpoint answers without a usable token", async () => {
    const token = { access_token: "a b", token_type: "Bearer", expires_in: 1 };
    for (const [answer, reason] of [
      [{ status: 200, text: "{}" }, "media-type"],
      [{ status: 200, json: token }, "schema"],
      [{ status: 200, json: null }, "schema"],
      [{ status: 302, headers: { location: "/elsewhere" } }, "status"],
    ] as const) {
      const { error } = await refundError(answer, credentials);
      expect(error).toMatchObject({ ...unavailable, reason: `CS_ANSWER_UNREADABLE ${reason}` });
    }
  });
});

describe("the function that obtains a token", () => {
  it("is called for each attempt and again after the first 401, which is repeated only with another token", async () => {
    let count = 0;
    const token = () => `own-${(count += 1)}`;
    const answers = [UNAUTHENTICATED, problem(503, "SERVICE_UNAVAILABLE"), UNAUTHENTICATED];
    const { error, received } = await refundError(answers, { token });
    expect(error).toMatchObject({ code: "CS_CALL_REFUSED", status: 401, attempts: 2 });
    const sent = received.map(({ headers }) => headers.authorization);
    expect(sent).toEqual(["Bearer own-1", "Bearer own-2", "Bearer own-3"]);

    const unchanged = await refundError(UNAUTHENTICATED, { token: async () => "own" });
    expect(unchanged.received).toHaveLength(1);
  });

  it("makes the token unavailable if it throws or returns none", async () => {
    const sentence = "the token function";
    for (const [token, reason] of [
      [() => Promise.reject(new Error("with my-secret in it")), `${sentence} threw`],
      [() => "two words", `${sentence} returned no access token`],
    ] as const) {
      const { error, received } = await refundError(made, { token, maxAttempts: 2 });
      expect(error).toMatchObject({ ...unavailable, reason, attempts: 2 });
      expect(error.stack).not.toContain("my-secret");
      expect(received).toEqual([]);
    }
  });

  it("is left at the call's timeout, and no refund is in doubt", async () => {
    const called = Promise.withResolvers<AbortSignal>();
    const token = (signal: AbortSignal): Promise<string> => {
      called.resolve(signal);
      return new Promise(() => undefined);
    };
    const { client, clock } = await clientOf(made, { token });
    const error = errorOf(client.refund(order));
    const signal = await called.promise;
    clock.elapse(60_000);
    expect(await error).toMatchObject({ code: "CS_CALL_TIMEOUT", mayBeDone: false });
    expect(signal.aborted).toBe(true);
  });
});
