import { describe, expect, it, vi } from "vitest";
import { errorOf, openClient, order, pending, problem } from "./fixtures.ts";
import { openProvider, type Scripted } from "./scripted-provider.ts";

const unavailable = (retryAfter: string): Scripted => ({
  ...problem(503, "SERVICE_UNAVAILABLE"),
  headers: { "content-type": "application/problem+json", "retry-after": retryAfter },
});
const made: Scripted = { status: 201, json: pending };
const silence: Scripted = () => undefined;

describe("the waits between attempts", () => {
  it.each([
    ["at the least", 0, [125, 250, 500, 1000]],
    ["at the most", 1, [250, 500, 1000, 2000]],
  ])("double, %s", async (_, chance, waits) => {
    const { url } = await openProvider((response) => response.destroy());
    const { client, time } = openClient(url, { random: () => chance });
    expect(await errorOf(client.refund(order))).toMatchObject({ attempts: 5 });
    expect(time.waits).toEqual(waits);
  });

  it("end at their longest", async () => {
    const { url } = await openProvider((response) => response.destroy());
    const retry = { attempts: 6, baseMs: 1000, maxMs: 3000 };
    const { client, time } = openClient(url, { retry, random: () => 1 });
    await errorOf(client.refund(order));
    expect(time.waits).toEqual([1000, 2000, 3000, 3000, 3000]);
  });

  it.each([
    ["3", [3000]],
    ["0", [125]],
    ["Sat, 21 Nov 2026 12:00:04 GMT", [4000]],
    ["Fri, 20 Nov 2026 12:00:00 GMT", [125]],
    // What a stranger may write, and none of it a wait.
    ["-1", [125]],
    ["NaN", [125]],
    ["1e3", [125]],
    ["Infinity", [125]],
    ["9999999999999999999999", [125]],
    ["tomorrow", [125]],
  ])("are no shorter than Retry-After: %s asks for", async (retryAfter, waits) => {
    const { url } = await openProvider(unavailable(retryAfter), made);
    const { client, time } = openClient(url);
    await client.refund(order);
    expect(time.waits).toEqual(waits);
  });

  it("honour Retry-After of a 429, for a customer too", async () => {
    const limited = { ...problem(429, "RATE_LIMITED"), headers: { "retry-after": "2" } };
    const { url } = await openProvider(limited, problem(404, "CUSTOMER_NOT_FOUND"));
    const { client, time } = openClient(url);
    expect(await errorOf(client.customer("cus_1"))).toMatchObject({ status: 404, attempts: 2 });
    expect(time.waits).toEqual([2000]);
  });

  it("are none where Retry-After asks for too long, and the error says how long", async () => {
    const { url } = await openProvider(unavailable("31"));
    const { client, time } = openClient(url);
    expect(await errorOf(client.refund(order))).toMatchObject({
      code: "CS_CALL_REFUSED",
      attempts: 1,
      retryAfterMs: 31_000,
      mayBeDone: true,
    });
    expect(time.waits).toEqual([]);
  });

  it("are none where the call's time would be over first", async () => {
    const { url } = await openProvider(unavailable("5"));
    const { client, time } = openClient(url, { timeouts: { callMs: 12_000 } });
    expect(await errorOf(client.refund(order))).toMatchObject({ attempts: 3 });
    expect(time.waits).toEqual([5000, 5000]);
  });

  it.each([400, 401, 403, 404, 413, 422, 501, 505])("are none after a %i", async (status) => {
    const { url, received } = await openProvider(problem(status, "NO"));
    expect(await errorOf(openClient(url).client.refund(order))).toMatchObject({ status });
    expect(received).toHaveLength(1);
  });

  it.each([408, 429, 500, 502, 503, 504])("come after a %i", async (status) => {
    const { url } = await openProvider(problem(status, "NO"), made);
    expect(await openClient(url).client.refund(order)).toMatchObject({ refundId: "ref_1" });
  });
});

describe("a deadline", () => {
  it("ends an attempt, and the next one is made", async () => {
    const { url, received } = await openProvider(silence, made);
    const { client, time } = openClient(url);
    const answer = client.refund(order);
    await vi.waitFor(() => expect(received).toHaveLength(1));
    time.elapse(time.attemptMs);
    expect(await answer).toMatchObject({ refundId: "ref_1" });
    expect(time.pending).toBe(0);
  });

  it("counts to the last byte of an answer that drips", async () => {
    const { url, received } = await openProvider((response) => {
      response.writeHead(201, { "content-type": "application/json", "content-length": "100" });
      response.write("{");
    });
    const { client, time } = openClient(url, { retry: { attempts: 1 } });
    const error = errorOf(client.refund(order));
    await vi.waitFor(() => expect(received).toHaveLength(1));
    time.elapse(time.attemptMs);
    expect(await error).toMatchObject({ code: "CS_CALL_TIMEOUT", mayBeDone: true });
  });

  it("ends the call, however many attempts are left", async () => {
    const { url, received } = await openProvider(silence);
    const { client, time } = openClient(url, { timeouts: { attemptMs: 50_000 } });
    const error = errorOf(client.refund(order, { timeoutMs: 20_000 }));
    await vi.waitFor(() => expect(received).toHaveLength(1));
    time.elapse(20_000);
    expect(await error).toMatchObject({ code: "CS_CALL_TIMEOUT", attempts: 1, mayBeDone: true });
    expect(time.pending).toBe(0);
  });

  it("that is no time is a TypeError", async () => {
    const { client } = openClient("http://127.0.0.1:9");
    await expect(client.refund(order, { timeoutMs: 0 })).rejects.toThrow(TypeError);
  });
});

describe("the caller's signal", () => {
  it("ends a call under way with its reason", async () => {
    const { url, received } = await openProvider(silence);
    const { client, time } = openClient(url);
    const leaving = new AbortController();
    const error = errorOf(client.refund(order, { signal: leaving.signal }));
    await vi.waitFor(() => expect(received).toHaveLength(1));
    const reason = new Error("the page was left");
    leaving.abort(reason);
    expect(await error).toMatchObject({ code: "CS_CALL_ABORTED", attempts: 1, mayBeDone: true });
    expect((await error).cause).toBe(reason);
    expect(time.pending).toBe(0);
  });

  it("that is aborted before makes no attempt", async () => {
    const { url, received } = await openProvider(made);
    const error = await errorOf(
      openClient(url).client.refund(order, { signal: AbortSignal.abort() }),
    );
    expect(error).toMatchObject({ code: "CS_CALL_ABORTED", attempts: 0, mayBeDone: false });
    expect(received).toEqual([]);
  });

  it("of one call leaves the token to the others that wait for it", async () => {
    const token = Promise.withResolvers<{ token: string }>();
    const { url } = await openProvider(made);
    const { client } = openClient(url, { token: () => token.promise });
    const leaving = new AbortController();
    const left = errorOf(client.refund(order, { signal: leaving.signal }));
    const other = client.refund(order);
    leaving.abort();
    expect(await left).toMatchObject({ code: "CS_CALL_ABORTED" });
    token.resolve({ token: "late" });
    expect(await other).toMatchObject({ refundId: "ref_1" });
  });
});

describe("a closed client", () => {
  it("takes no call, lets the one under way end, and closes twice", async () => {
    let answer = (): void => undefined;
    const { url, received } = await openProvider((response) => {
      answer = () => {
        response.writeHead(201, { "content-type": "application/json" });
        response.end(JSON.stringify(pending));
      };
    });
    const { client } = openClient(url);
    const underWay = client.refund(order);
    await vi.waitFor(() => expect(received).toHaveLength(1));
    const closed = client.close();
    expect(await errorOf(client.customer("cus_1"))).toMatchObject({ code: "CS_CLIENT_CLOSED" });
    answer();
    expect(await underWay).toMatchObject({ refundId: "ref_1" });
    await closed;
    await client.close();
  });

  it("makes no further attempt, and does not deny the one that was made", async () => {
    let lose = (): void => undefined;
    const { url, received } = await openProvider((response) => {
      lose = () => response.destroy();
    });
    const { client } = openClient(url);
    const error = errorOf(client.refund(order));
    await vi.waitFor(() => expect(received).toHaveLength(1));
    const closed = client.close();
    lose();
    expect(await error).toMatchObject({ code: "CS_CLIENT_CLOSED", attempts: 1, mayBeDone: true });
    await closed;
    expect(received).toHaveLength(1);
  });

  it("is what `await using` leaves", async () => {
    const { url } = await openProvider(made);
    const { client } = openClient(url);
    await client[Symbol.asyncDispose]();
    expect(await errorOf(client.refund(order))).toMatchObject({ code: "CS_CLIENT_CLOSED" });
  });
});
