import { setImmediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { startDeadline, systemClock } from "../src/clock.ts";
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
  type Scripted,
} from "./fixtures.ts";

const unavailable = (retryAfter: string): Scripted => ({
  ...problem(503, "SERVICE_UNAVAILABLE"),
  headers: { "retry-after": retryAfter },
});
const silence: Scripted = () => undefined;

const first = ({ received }: { readonly received: readonly unknown[] }) =>
  vi.waitFor(() => expect(received).toHaveLength(1));

/** Resolves once a client has the deadline of its call and a wait. */
const waits = ({ received, clock }: Awaited<ReturnType<typeof clientOf>>) =>
  vi.waitFor(() => expect([received.length, clock.pending]).toEqual([1, 2]));

describe("the wait before a retry", () => {
  it("doubles with jitter up to its maximum", async () => {
    const waitsOf = async (chance: number) =>
      (await refundError(lost, { maxAttempts: 8, random: () => chance })).clock.waits;
    expect(await waitsOf(0)).toEqual([125, 250, 500, 1000, 2000, 4000, 4000]);
    expect(await waitsOf(1)).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000]);
  });

  it("is at least Retry-After, which is ignored if malformed", async () => {
    for (const [retryAfter, wait] of [
      ["3", 3000],
      ["0", 125],
      ["Sat, 21 Nov 2026 12:00:04 GMT", 4000],
      ["Fri, 20 Nov 2026 12:00:00 GMT", 125],
      ...["-1", "NaN", "1e3", "Infinity", "9999999999999999999999", "tomorrow"].map(
        (text) => [text, 125] as const,
      ),
    ] as const) {
      const { client, clock } = await clientOf([unavailable(retryAfter), made]);
      await client.refund(order);
      expect([retryAfter, clock.waits]).toEqual([retryAfter, [wait]]);
    }
  });

  it("is not begun if it outlasts the call's timeout: the call fails with the refusal", async () => {
    const refused = { code: "CS_CALL_REFUSED", mayBeDone: true };
    const { error, clock } = await refundError(unavailable("60"));
    expect(error).toMatchObject({ ...refused, attempts: 1, retryAfterMs: 60_000 });
    expect(clock.waits).toEqual([]);

    const short = await refundError(unavailable("5"), { timeoutMs: 12_000 });
    expect(short.error).toMatchObject({ ...refused, attempts: 3 });
    expect(short.clock.waits).toEqual([5000, 5000]);
  });

  it("does not depend on wall time, which may step while the call runs", async () => {
    const one = await clientOf([
      (response) => {
        one.clock.wallMs += 3_600_000;
        response.writeHead(503).end();
      },
      made,
    ]);
    expect(await one.client.refund(order)).toMatchObject({ refundId: "ref_1" });
  });

  it("follows transient statuses and no others, as long as Retry-After says", async () => {
    for (const status of [400, 401, 403, 404, 413, 422, 501, 505]) {
      const { error, received } = await refundError(problem(status, "NO"));
      expect(error).toMatchObject({ status });
      expect([status, received.length]).toEqual([status, 1]);
    }
    for (const status of [408, 429, 500, 502, 503, 504]) {
      const transient = { ...problem(status, "NO"), headers: { "retry-after": "2" } };
      const { error, clock } = await refundError([transient, problem(404, "PAYMENT_NOT_FOUND")]);
      expect(error).toMatchObject({ status: 404, attempts: 2 });
      expect([status, clock.waits]).toEqual([status, [2000]]);
      expect([status, error.mayBeDone]).toEqual([status, status !== 429]);
    }
  });
});

describe("a timeout", () => {
  it("ends an attempt up to the last byte of its answer, and the next one is made", async () => {
    const drip: Scripted = (response) => {
      response.writeHead(201, { ...JSON_TYPE, "content-length": "100" });
      response.write("{");
    };
    for (const slow of [silence, drip]) {
      const one = await clientOf([slow, made]);
      const answer = one.client.refund(order);
      await first(one);
      one.clock.elapse(one.clock.attemptMs);
      expect(await answer).toMatchObject({ refundId: "ref_1" });
      expect(one.clock.pending).toBe(0);
    }
  });

  it("of a call ends it, however many attempts are left", async () => {
    const one = await clientOf([silence, made], { attemptTimeoutMs: 50_000 });
    const error = errorOf(one.client.refund(order, { timeoutMs: 20_000 }));
    await first(one);
    one.clock.elapse(20_000);
    expect(await error).toMatchObject({ code: "CS_CALL_TIMEOUT", attempts: 1, mayBeDone: true });
    await expect(one.client.refund(order, { timeoutMs: 0 })).rejects.toThrow(TypeError);
  });
});

it("a deadline that is cancelled does not abort its signal", async () => {
  const deadline = startDeadline(systemClock, 60_000);
  deadline.end();
  await setImmediate();
  expect(deadline.signal.aborted).toBe(false);
});

describe("the caller's signal", () => {
  it("ends a call in flight with its reason, and prevents every attempt if it is already aborted", async () => {
    const one = await clientOf([silence, made]);
    const leaving = new AbortController();
    const error = errorOf(one.client.refund(order, { signal: leaving.signal }));
    await first(one);
    const cause = new Error("the page was left");
    leaving.abort(cause);
    const expected = { code: "CS_CALL_ABORTED", attempts: 1, mayBeDone: true, cause };
    expect(await error).toMatchObject(expected);
    expect(one.clock.pending).toBe(0);
    const early = await errorOf(one.client.refund(order, { signal: AbortSignal.abort() }));
    expect(early).toMatchObject({ code: "CS_CALL_ABORTED", attempts: 0, mayBeDone: false });
    expect(one.received).toHaveLength(1);
  });

  it("ends a call that waits for its next attempt", async () => {
    const one = await clientOf([unavailable("20"), made]);
    const leaving = new AbortController();
    const error = errorOf(one.client.refund(order, { signal: leaving.signal }));
    await waits(one);
    leaving.abort();
    expect(await error).toMatchObject({ code: "CS_CALL_ABORTED", attempts: 1, mayBeDone: true });
  });

  it("of one call leaves the token to the others that wait for it", async () => {
    const answer = Promise.withResolvers<void>();
    const granted = { access_token: "late", token_type: "Bearer", expires_in: 60 };
    const late: Scripted = (response) =>
      void answer.promise.then(() =>
        response.writeHead(200, JSON_TYPE).end(JSON.stringify(granted)),
      );
    const credentials = { token: undefined, clientId: "me", clientSecret: "my-secret" };
    const { client } = await clientOf([late, made], credentials);
    const leaving = new AbortController();
    const left = errorOf(client.refund(order, { signal: leaving.signal }));
    const other = client.refund(order);
    leaving.abort();
    expect(await left).toMatchObject({ code: "CS_CALL_ABORTED", mayBeDone: false });
    answer.resolve();
    expect(await other).toMatchObject({ refundId: "ref_1" });
  });
});

describe("a closed client", () => {
  it("rejects new calls, finishes the one in flight, and closes twice", async () => {
    let answer = (): void => undefined;
    const one = await clientOf((response) => {
      answer = () => void response.writeHead(201, JSON_TYPE).end(JSON.stringify(pending));
    });
    const call = one.client.refund(order);
    await first(one);
    const closed = one.client.close();
    const error = await errorOf(one.client.customer("cus_1"));
    expect(error).toMatchObject({ code: "CS_CLIENT_CLOSED" });
    answer();
    expect(await call).toMatchObject({ refundId: "ref_1" });
    await closed;
    await one.client[Symbol.asyncDispose]();
  });

  it("ends a call that waits for its next attempt, whose refund may be done", async () => {
    const one = await clientOf([unavailable("20"), made]);
    const error = errorOf(one.client.refund(order));
    await waits(one);
    await one.client.close();
    expect(await error).toMatchObject({ code: "CS_CLIENT_CLOSED", attempts: 1, mayBeDone: true });
  });

  it("begins no attempt with a token that arrives later, and no refund is in doubt", async () => {
    const token = Promise.withResolvers<string>();
    const one = await clientOf(made, { token: () => token.promise });
    const error = errorOf(one.client.refund(order));
    await one.client.close();
    token.resolve("late");
    expect(await error).toMatchObject({ code: "CS_CLIENT_CLOSED", mayBeDone: false });
    expect(one.received).toEqual([]);
  });

  it("makes no more attempts, and the refund of the last one may be done", async () => {
    let lose = (): void => undefined;
    const one = await clientOf((response) => {
      lose = () => response.destroy();
    });
    const error = errorOf(one.client.refund(order));
    await first(one);
    const closed = one.client.close();
    lose();
    expect(await error).toMatchObject({ code: "CS_CLIENT_CLOSED", attempts: 1, mayBeDone: true });
    await closed;
    expect(one.received).toHaveLength(1);
  });
});
