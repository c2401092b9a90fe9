import { setImmediate } from "node:timers/promises";
import { createReceiver, defaultRespond, type Inbox, memoryInbox } from "@countersign/receiver";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { attemptOf, NOON, recordingReceiver, refundAuthorized, secret } from "./fixtures.ts";

/** A handler that runs until `letGo`, with the number of its runs. */
function heldHandler(): { handler: () => Promise<void>; letGo: () => void; runs: () => number } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const handler = vi.fn<() => Promise<void>>(() => promise);
  return { handler, letGo: resolve, runs: () => handler.mock.calls.length };
}

/** A receiver for one event, whose handler is held or fails if it is given. */
function receiverOf({
  handler,
  ...options
}: { handler?: () => unknown } & Parameters<typeof recordingReceiver>[0] = {}) {
  const recording = recordingReceiver(options);
  const { receiver } = recording;
  if (handler !== undefined)
    receiver.on("refund.authorized", async () => {
      await handler();
    });
  const send = (event: object = refundAuthorized()) => receiver.answer(attemptOf(event));
  const kind = async (event?: object): Promise<string> => (await send(event)).outcome.kind;
  return { ...recording, send, kind };
}
const refuse = (): Promise<never> => Promise.reject(new Error("password=hunter2"));
const other = { ...refundAuthorized(), timestamp: "2026-11-24T06:00:00.000Z" };

describe("an event that comes again", () => {
  it("[R-ONCE-DUPLICATE] after it was handled is acknowledged, and its handler does not run", async () => {
    const { receiver, handled, kind } = receiverOf();
    await kind();

    const again = await receiver.receive(attemptOf(refundAuthorized(), { now: NOON - 60_000 }));

    expect(again.kind).toBe("duplicate");
    expect(defaultRespond(again).status).toBe(204);
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
  });

  it("[R-ACK-AFTER-HANDLER] [R-ACK-IN-PROGRESS] [R-ONCE-CONCURRENT] while its handler runs is answered 409 with Retry-After", async () => {
    const held = heldHandler();
    const { kind, send } = receiverOf({ handler: held.handler });
    let answered = false;
    const first = kind().finally(() => (answered = true));

    const others = await Promise.all(Array.from({ length: 10 }, () => send()));

    expect(others.map(({ outcome }) => outcome.kind)).toEqual(Array(10).fill("in_progress"));
    expect(others[0]?.response).toMatchObject({
      status: 409,
      headers: { "retry-after": "60" },
      body: '{"code":"CS_EVENT_IN_PROGRESS","id":"evt_refund1"}',
    });
    await setImmediate();
    expect([held.runs(), answered]).toEqual([1, false]);
    held.letGo();
    expect(await first).toBe("handled");
    expect(held.runs()).toBe(1);
  });

  it("[R-ONCE-REUSED] with another body is refused with 409, never a silent duplicate", async () => {
    const { send, handled } = receiverOf();
    await send();
    const { outcome, response } = await send(other);
    expect(outcome).toMatchObject({ kind: "rejected", code: "CS_EVENT_ID_REUSED" });
    expect(response.status).toBe(409);
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
  });

  it("with another body is a duplicate for senders that print it anew, and one body runs", async () => {
    const { kind, handled } = receiverOf({ onIdReuse: "duplicate" });
    await kind();
    expect(await kind(other)).toBe("duplicate");
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
  });

  it("[R-ONCE-TENANT] of another tenant is another event", async () => {
    const seen: string[] = [];
    const receiver = createReceiver({
      secrets: ({ path }) => ({ tenant: path ?? "", secrets: [secret] }),
      fallback: (event, { tenant, idempotencyKey }) =>
        void seen.push(`${tenant} ${event.id} ${idempotencyKey}`),
      now: () => NOON,
    });

    await receiver.receive({ ...attemptOf(refundAuthorized()), path: "/a" });
    await receiver.receive({ ...attemptOf(refundAuthorized()), path: "/b" });

    expect(seen).toEqual(["/a evt_refund1 evt_refund1:/a", "/b evt_refund1 evt_refund1:/b"]);
  });
});

describe("an event whose handler fails", () => {
  it("[R-ACK-FAILED] [R-LEAK-NOTHING] is answered 503 with Retry-After, a code and the id, and the next attempt runs the handler again", async () => {
    const handler = vi.fn<() => unknown>().mockImplementationOnce(refuse);
    const { send, kind, outcomes } = receiverOf({ handler });

    const { response } = await send();
    expect(response).toMatchObject({
      status: 503,
      headers: { "retry-after": "5" },
      body: '{"code":"CS_HANDLER_FAILED","id":"evt_refund1"}',
    });
    // The merchant's own observer gets the error.
    const error = { message: "password=hunter2" };
    expect(outcomes).toMatchObject([{ kind: "failed", code: "CS_HANDLER_FAILED", error }]);

    expect(await kind()).toBe("handled");
    expect(handler).toHaveBeenCalledTimes(2);
  });
});

describe("[R-ACK-INBOX] an inbox that is away", () => {
  it.each([
    ["claim", "CS_INBOX_UNAVAILABLE"],
    ["complete", "CS_INBOX_UNAVAILABLE"],
    // The handler's failure stays as it is.
    ["release", "CS_HANDLER_FAILED"],
  ] as const)("at %s fails the attempt with 503 and %s", async (method, code) => {
    const inbox = { ...memoryInbox(), [method]: refuse };
    const { send } = receiverOf({ inbox, ...(method === "release" && { handler: refuse }) });
    const { outcome, response } = await send();
    expect(outcome).toMatchObject({ kind: "failed", code });
    expect(response.status).toBe(503);
  });

  it("is reported when the handler outlived its lease and another claim was made", async () => {
    const clock = { now: NOON };
    const first = heldHandler();
    const handler = vi.fn<() => unknown>().mockImplementationOnce(first.handler);
    const { send, kind } = receiverOf({ handler, now: () => clock.now });
    const slow = send();
    await setImmediate();
    clock.now += 60_000;

    expect(await kind()).toBe("handled");
    first.letGo();
    expect((await slow).outcome).toMatchObject({ kind: "failed", code: "CS_CLAIM_LOST" });
  });
});

describe("concurrent handlers", () => {
  it("beyond the limit are answered 503 at answerMs, and the place is free again afterwards", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const held = heldHandler();
    const limits = { concurrentHandlers: 2, answerMs: 1000 };
    const { send, kind } = receiverOf({ handler: held.handler, limits });
    const running = ["evt_1", "evt_2"].map((id) => send(refundAuthorized(id)));

    const third = send(refundAuthorized("evt_3"));
    await vi.advanceTimersByTimeAsync(1000);
    const { outcome, response } = await third;
    expect(outcome).toMatchObject({ kind: "rejected", code: "CS_RECEIVER_BUSY" });
    expect(response).toMatchObject({ status: 503, headers: { "retry-after": "5" } });

    held.letGo();
    await Promise.all(running);
    expect(await kind(refundAuthorized("evt_3"))).toBe("handled");
  });
});

describe("secrets by a function", () => {
  it("that finds none refuse the attempt like any signature", async () => {
    const { send } = receiverOf({ secrets: () => ({ tenant: "", secrets: [] }) });
    const { outcome, response } = await send();
    expect(outcome).toMatchObject({ kind: "rejected", code: "CS_TENANT_UNKNOWN" });
    expect(response.body).toBe('{"code":"CS_SIGNATURE_REFUSED"}');
  });

  it.each([
    ["throws", () => Promise.reject(new Error("vault away"))],
    ["returns a garbled secret", () => ({ tenant: "", secrets: ["hunter2"] })],
    // As plain JavaScript may return it.
    ["returns a bare list", () => [secret] as never],
  ])("that %s fail the attempt with 503", async (_what, secrets) => {
    const { outcome, response } = await receiverOf({ secrets }).send();
    expect(outcome).toMatchObject({ kind: "failed", code: "CS_SECRETS_UNAVAILABLE" });
    expect(response).toMatchObject({ status: 503, body: '{"code":"CS_SECRETS_UNAVAILABLE"}' });
  });
});

describe("an event that was handled", () => {
  const DAY = 86_400_000;
  it("is forgotten beside later attempts, once its retention has passed, a thousand at a time", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    let now = NOON;
    const purge = vi.fn<NonNullable<Inbox["purge"]>>().mockResolvedValueOnce(1000);
    purge.mockResolvedValue(7);
    const { receiver } = receiverOf({
      inbox: { ...memoryInbox(), purge },
      retention: 10 * DAY,
      now: () => now,
    });
    const strangerArrives = () => receiver.receive({ headers: {}, body: new Uint8Array() });
    await strangerArrives();
    // The wall clock may jump.
    now += 3_600_000;
    await strangerArrives();
    expect(purge).not.toHaveBeenCalled();
    vi.advanceTimersByTime(60_000);
    await strangerArrives();
    await strangerArrives();
    await setImmediate();
    const request = { before: now - 10 * DAY, limit: 1000 };
    expect(purge.mock.calls).toEqual([[request], [request]]);
  });
});
