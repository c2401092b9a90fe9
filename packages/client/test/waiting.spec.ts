import { setImmediate } from "node:timers/promises";
import type { CallOptions, ClientOptions } from "@countersign/client";
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

/** A refund whose first attempt has arrived. */
async function inFlight(
  answers: Scripted | readonly Scripted[],
  { call, ...options }: Partial<ClientOptions> & { readonly call?: CallOptions } = {},
) {
  const one = await clientOf(answers, options);
  const refund = one.client.refund(order, call);
  // It may reject before the test awaits it.
  refund.catch(() => undefined);
  await vi.waitFor(() => expect(one.received).toHaveLength(1));
  return { ...one, refund };
}

/** A refund that waits 20 s for its second attempt. */
async function waiting(call?: CallOptions) {
  const one = await inFlight([unavailable("20"), made], call && { call });
  await vi.waitFor(() => expect(one.clock.pending).toEqual([60_000, 20_000]));
  return one;
}

describe("the wait before a retry", () => {
  it("doubles with jitter up to its maximum", async () => {
    const waitsOf = async (chance: number) =>
      (await refundError(lost, { maxAttempts: 8, random: () => chance })).clock.waits;
    expect(await waitsOf(0)).toEqual([125, 250, 500, 1000, 2000, 4000, 4000]);
    expect(await waitsOf(1)).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000]);
  });

  it.each([
    ["3", 3000],
    ["0", 125],
    ["Sat, 21 Nov 2026 12:00:04 GMT", 4000],
    ["Fri, 20 Nov 2026 12:00:00 GMT", 125],
    ...["-1", "1e3", "Infinity", "9999999999999", "tomorrow"].map((text) => [text, 125] as const),
  ] as const)("after Retry-After: %s is %i ms", async (retryAfter, wait) => {
    const { client, clock } = await clientOf([unavailable(retryAfter), made]);
    await client.refund(order);
    expect(clock.waits).toEqual([wait]);
  });

  it("is not begun if it outlasts the call's timeout: the call fails with the refusal", async () => {
    const refused = { code: "CS_CALL_REFUSED", mayBeDone: true };
    const { error } = await refundError(unavailable("60"));
    expect(error).toMatchObject({ ...refused, attempts: 1, retryAfterMs: 60_000 });

    const short = await refundError(unavailable("5"), { timeoutMs: 12_000 });
    expect(short.error).toMatchObject({ ...refused, attempts: 3 });
    expect(short.clock.waits).toEqual([5000, 5000]);
  });

  it("does not depend on wall time, which may step while the call runs", async () => {
    let answer = (): unknown => undefined;
    const busy: Scripted = (response) => (answer = () => response.writeHead(503).end());
    const { clock, refund } = await inFlight([busy, made]);
    clock.wallMs += 3_600_000;
    answer();
    expect(await refund).toMatchObject({ refundId: "ref_1" });
  });

  it.each([400, 401, 403, 404, 413, 422, 501, 505])("does not follow %i", async (status) => {
    const { error, received } = await refundError(problem(status, "NO"));
    expect(error).toMatchObject({ status });
    expect(received).toHaveLength(1);
  });

  it.each([408, 429, 500, 502, 503, 504])("follows %i, for Retry-After", async (status) => {
    const transient = { ...problem(status, "NO"), headers: { "retry-after": "2" } };
    const { error, clock } = await refundError([transient, problem(404, "PAYMENT_NOT_FOUND")]);
    const mayBeDone = status !== 429;
    expect(error).toMatchObject({ status: 404, attempts: 2, mayBeDone });
    expect(clock.waits).toEqual([2000]);
  });
});

describe("a timeout", () => {
  const drip: Scripted = (response) =>
    response.writeHead(201, { ...JSON_TYPE, "content-length": "100" }).write("{");

  it.each([
    ["before its answer", silence],
    ["within its answer", drip],
  ])("ends an attempt %s, and the next one is made", async (_, slow) => {
    const { clock, refund } = await inFlight([slow, made]);
    clock.elapse(clock.attemptMs);
    expect(await refund).toMatchObject({ refundId: "ref_1" });
    expect(clock.pending).toEqual([]);
  });

  it("of a call ends it, however many attempts are left", async () => {
    const call = { timeoutMs: 20_000 };
    const { clock, refund } = await inFlight(silence, { attemptTimeoutMs: 50_000, call });
    clock.elapse(20_000);
    const expected = { code: "CS_CALL_TIMEOUT", attempts: 1, mayBeDone: true };
    expect(await errorOf(refund)).toMatchObject(expected);
  });

  it("of a call must be an integer of milliseconds", async () => {
    const { client } = await clientOf(made);
    await expect(client.refund(order, { timeoutMs: 0 })).rejects.toThrow(TypeError);
  });

  it("that is cancelled does not abort its signal", async () => {
    const deadline = startDeadline(systemClock, 60_000);
    deadline.end();
    await setImmediate();
    expect(deadline.signal.aborted).toBe(false);
  });
});

describe("the caller's signal", () => {
  const aborted = { code: "CS_CALL_ABORTED", attempts: 1, mayBeDone: true };

  it("ends a call in flight with its reason", async () => {
    const leaving = new AbortController();
    const { clock, refund } = await inFlight(silence, { call: leaving });
    const cause = new Error("the page was left");
    leaving.abort(cause);
    expect(await errorOf(refund)).toMatchObject({ ...aborted, cause });
    expect(clock.pending).toEqual([]);
  });

  it("ends a call that waits for its next attempt", async () => {
    const leaving = new AbortController();
    const { refund } = await waiting(leaving);
    leaving.abort();
    expect(await errorOf(refund)).toMatchObject(aborted);
  });

  it("prevents every attempt if it is already aborted", async () => {
    const { client, received } = await clientOf(made);
    const error = await errorOf(client.refund(order, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ ...aborted, attempts: 0, mayBeDone: false });
    expect(received).toEqual([]);
  });

  it("of one call leaves the token to the others that wait for it", async () => {
    const asked = Promise.withResolvers<() => void>();
    const granted = { access_token: "late", token_type: "Bearer", expires_in: 60 };
    const late: Scripted = (response) =>
      asked.resolve(() => response.writeHead(200, JSON_TYPE).end(JSON.stringify(granted)));
    const credentials = { token: undefined, clientId: "me", clientSecret: "my-secret" };
    const { client } = await clientOf([late, made], credentials);
    const leaving = new AbortController();
    const left = errorOf(client.refund(order, leaving));
    const other = client.refund(order);
    const answer = await asked.promise;
    leaving.abort();
    expect(await left).toMatchObject({ ...aborted, mayBeDone: false });
    answer();
    expect(await other).toMatchObject({ refundId: "ref_1" });
  });
});

describe("a closed client", () => {
  const closed = { code: "CS_CLIENT_CLOSED", attempts: 1, mayBeDone: true };

  it("rejects new calls, finishes the one in flight, and closes twice", async () => {
    let answer = (): unknown => undefined;
    const { client, refund } = await inFlight((response) => {
      answer = () => response.writeHead(201, JSON_TYPE).end(JSON.stringify(pending));
    });
    const closing = client.close();
    expect(await errorOf(client.customer("cus_1"))).toMatchObject({ code: "CS_CLIENT_CLOSED" });
    answer();
    expect(await refund).toMatchObject({ refundId: "ref_1" });
    await closing;
    await client[Symbol.asyncDispose]();
  });

  it("ends a call that waits for its next attempt, whose refund may be done", async () => {
    const { client, refund } = await waiting();
    await client.close();
    expect(await errorOf(refund)).toMatchObject(closed);
  });

  it("begins no attempt with a token that arrives later, and no refund is in doubt", async () => {
    const token = Promise.withResolvers<string>();
    const { client, received } = await clientOf(made, { token: () => token.promise });
    const error = errorOf(client.refund(order));
    await client.close();
    token.resolve("late");
    expect(await error).toMatchObject({ ...closed, mayBeDone: false });
    expect(received).toEqual([]);
  });

  it("does not retry an attempt that is lost, whose refund may be done", async () => {
    let lose = (): unknown => undefined;
    const { client, received, refund } = await inFlight((response) => {
      lose = () => response.destroy();
    });
    const closing = client.close();
    lose();
    expect(await errorOf(refund)).toMatchObject(closed);
    await closing;
    expect(received).toHaveLength(1);
  });
});
