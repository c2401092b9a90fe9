import type { ServerResponse } from "node:http";
import { describe, expect, it, vi } from "vitest";
import type { TokenProvider } from "@countersign/client";
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
  subscription,
  type Received,
} from "./fixtures.ts";

const credentials = { token: undefined, clientId: "merchant:7", clientSecret: "s3cret/+ %ü" };
const UNAUTHENTICATED = problem(401, "UNAUTHENTICATED");
const unavailable = { code: "CS_TOKEN_UNAVAILABLE" };

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

describe("the access token (S 5.2)", () => {
  it("is requested once by a hundred simultaneous calls, with a form and Basic of encoded halves (RFC 6749, section 2.3.1)", async () => {
    const options = { ...credentials, scopes: ["payments", "core"] };
    const { client, received } = await clientOf(issuing().answer, options);
    await Promise.all(Array.from({ length: 100 }, () => client.refund(order)));
    expect(received).toHaveLength(101);
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

  it("is renewed in the last minute of its life, while calls continue with it", async () => {
    const { issued, answer } = issuing();
    const { client, time, received } = await clientOf((response, one) => {
      // The second token is never answered: no call may wait for it.
      if (one.path === "/v1/tokens" && issued.length > 0) return;
      answer(response, one);
    }, credentials);
    const tokensAsked = () => received.filter(({ path }) => path === "/v1/tokens").length;
    await client.refund(order);
    time.elapse(3_539_999);
    await client.refund(order);
    expect(tokensAsked()).toBe(1);
    time.elapse(1);
    await client.refund(order);
    await vi.waitFor(() => expect(tokensAsked()).toBe(2));
    await client.refund(order);
    expect(tokensAsked()).toBe(2);
    expect(received.at(-1)?.headers.authorization).toBe("Bearer t1");
  });

  it("is replaced once it has expired, and once for 20 calls that find it revoked", async () => {
    const { issued, answer } = issuing({ seconds: 100 });
    const { client, time, received } = await clientOf(answer, credentials);
    await client.refund(order);
    time.elapse(100_000);
    await client.refund(order);
    expect(received.at(-1)?.headers.authorization).toBe("Bearer t2");
    issued.push("the provider has revoked t2");
    await Promise.all(Array.from({ length: 20 }, () => client.refund(order)));
    expect(issued).toHaveLength(4);
  });

  it("is renewed once per call, however often the call is answered 401", async () => {
    const { issued, answer } = issuing({ isGood: false });
    const { error, received } = await refundError(answer, credentials);
    expect(error).toMatchObject({ code: "CS_CALL_REFUSED", status: 401, mayBeDone: false });
    expect([issued.length, received.length]).toEqual([2, 4]);
  });

  it("is renewed for a subscribe call too, which a 401 has not done", async () => {
    const { answer } = issuing();
    const subscribed = { status: 200, json: { subscriptionKey: "sub_1" } };
    const answers = [answer, UNAUTHENTICATED, answer, subscribed];
    const { client, received } = await clientOf(answers, credentials);
    expect(await client.subscribe(subscription)).toEqual(subscribed.json);
    const sent = received.map(({ headers }) => headers.authorization?.slice(0, 9));
    expect(sent).toEqual(["Basic bWV", "Bearer t1", "Basic bWV", "Bearer t2"]);
  });

  it("is requested again after a lost connection, but not once the provider refuses it", async () => {
    const refused = { status: 401, json: { error: "invalid_client" } };
    const answers = [lost, issuing().answer, made, refused];
    const { client, time, received } = await clientOf(answers, credentials);
    expect(await client.refund(order)).toMatchObject({ refundId: "ref_1" });
    time.elapse(3_600_000);
    const expected = { code: "CS_TOKEN_REFUSED", status: 401, error: "invalid_client" };
    const error = await errorOf(client.refund(order));
    expect(error).toMatchObject({ ...expected, mayBeDone: false, attempts: 1 });
    expect(received).toHaveLength(4);
  });

  it("is unavailable if the endpoint answers without a usable token", async () => {
    const token = { access_token: "a b", token_type: "Bearer", expires_in: 1 };
    for (const answer of [
      { status: 200, text: "{}" },
      { status: 200, json: token },
      { status: 302, headers: { location: "/elsewhere" } },
    ]) {
      const { error } = await refundError(answer, credentials);
      expect(error).toMatchObject({ ...unavailable, reason: "CS_ANSWER_UNREADABLE" });
    }
  });
});

describe("the caller's own token", () => {
  it("is fetched again after a 401, once per call whichever its attempt, and sent again only if it has changed", async () => {
    let count = 0;
    const token: TokenProvider = () => ({ token: `own-${(count += 1)}` });
    const one = await clientOf([UNAUTHENTICATED, made], { token });
    await one.client.refund(order);
    const sent = one.received.map(({ headers }) => headers.authorization);
    expect(sent).toEqual(["Bearer own-1", "Bearer own-2"]);

    const answers = [UNAUTHENTICATED, problem(503, "SERVICE_UNAVAILABLE"), UNAUTHENTICATED];
    const other = await refundError(answers, { token });
    expect(other.error).toMatchObject({ code: "CS_CALL_REFUSED", status: 401, attempts: 2 });
    expect([count, other.received.length]).toEqual([4, 3]);

    const unchanged = await refundError(UNAUTHENTICATED);
    expect(unchanged.received).toHaveLength(1);
  });

  it("that cannot be renewed early is tried again five seconds later, and used until it expires", async () => {
    let count = 0;
    const { client, time } = await clientOf(made, {
      token: () => {
        count += 1;
        if (count > 1) throw new Error("not now");
        return { token: "t", expiresAt: time.now() + 600_000 };
      },
    });
    const countAfter = async (ms: number): Promise<number> => {
      time.elapse(ms);
      await client.refund(order);
      return count;
    };
    expect(await countAfter(0)).toBe(1);
    expect(await countAfter(540_000)).toBe(2);
    expect(await countAfter(4999)).toBe(2);
    expect(await countAfter(1)).toBe(3);
    time.elapse(60_000);
    expect(await errorOf(client.refund(order))).toMatchObject(unavailable);
  });

  it("is unavailable if its function throws or returns no token or no time", async () => {
    for (const [token, reason] of [
      [() => Promise.reject(new Error("with my-secret in it")), "CS_TOKEN_PROVIDER_FAILED"],
      [() => ({ token: "two words" }), "CS_TOKEN_MALFORMED"],
      [() => ({ token: "t", expiresAt: Number.NaN }), "CS_TOKEN_MALFORMED"],
    ] as const) {
      const { error, received } = await refundError(made, { token, retry: { attempts: 2 } });
      expect(error).toMatchObject({ ...unavailable, reason, attempts: 2 });
      expect(received).toEqual([]);
    }
  });

  it("is awaited no longer than an attempt takes", async () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const token: TokenProvider = ({ signal }) => {
      asked.resolve(signal);
      return new Promise(() => undefined);
    };
    const { client, time } = await clientOf(made, { token, retry: { attempts: 1 } });
    const error = errorOf(client.refund(order));
    const signal = await asked.promise;
    time.elapse(time.attemptMs);
    expect(await error).toMatchObject({ ...unavailable, reason: "CS_CALL_TIMEOUT" });
    expect(signal.aborted).toBe(true);
  });
});
