import { createReceiver, defaultRespond, type Inbox, memoryInbox } from "@countersign/receiver";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { attemptOf, NOON, recordingReceiver, refundAuthorized, secret } from "./fixtures.ts";

/** A handler that a test holds and lets go. */
function heldHandler(): { handler: () => Promise<void>; letGo: () => void; runs: () => number } {
  let runs = 0;
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return {
    handler: () => {
      runs += 1;
      return gate;
    },
    letGo: () => letGo(),
    runs: () => runs,
  };
}

describe("an event that comes again", () => {
  it("[R-ONCE-DUPLICATE] after it was handled is acknowledged, and its handler does not run", async () => {
    const { receiver, handled } = recordingReceiver();
    await receiver.receive(attemptOf(refundAuthorized()));

    const again = await receiver.receive(attemptOf(refundAuthorized(), { now: NOON - 60_000 }));

    expect(again.kind).toBe("duplicate");
    expect(defaultRespond(again).status).toBe(204);
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
  });

  it("[R-ACK-IN-PROGRESS] [R-ONCE-CONCURRENT] while its handler runs is told to come back", async () => {
    const held = heldHandler();
    const { receiver } = recordingReceiver();
    receiver.on("refund.authorized", held.handler);
    const first = receiver.receive(attemptOf(refundAuthorized()));

    const others = await Promise.all(
      Array.from({ length: 10 }, () => receiver.answer(attemptOf(refundAuthorized()))),
    );

    expect(others.map(({ outcome }) => outcome.kind)).toEqual(Array(10).fill("in_progress"));
    expect(others[0]?.response).toMatchObject({
      status: 409,
      headers: { "retry-after": "60" },
      body: '{"code":"CS_EVENT_IN_PROGRESS","id":"evt_refund1"}',
    });
    held.letGo();
    expect((await first).kind).toBe("handled");
    expect(held.runs()).toBe(1);
  });

  it("[R-ONCE-REUSED] with another body is refused with 409, never a silent duplicate", async () => {
    const { receiver, handled } = recordingReceiver();
    await receiver.receive(attemptOf(refundAuthorized()));
    const other = { ...refundAuthorized(), timestamp: "2026-11-24T06:00:00.000Z" };

    const { outcome, response } = await receiver.answer(attemptOf(other));

    expect(outcome).toMatchObject({ kind: "rejected", code: "CS_EVENT_ID_REUSED" });
    expect(response.status).toBe(409);
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
  });

  it("with another body is a duplicate for senders that print it anew, and one body runs", async () => {
    const { receiver, handled } = recordingReceiver({ onIdReuse: "duplicate" });
    await receiver.receive(attemptOf(refundAuthorized()));
    const anew = attemptOf(JSON.stringify(refundAuthorized(), null, 2), { id: "evt_refund1" });

    expect((await receiver.receive(anew)).kind).toBe("duplicate");
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
  it("[R-ACK-FAILED] is answered 503 with Retry-After, and the next attempt runs the handler again", async () => {
    let fails = true;
    const { receiver, handled } = recordingReceiver();
    receiver.on("refund.authorized", () => {
      if (fails) throw new Error("the ledger is away: password=hunter2");
      handled.push("booked");
    });

    const { outcome, response } = await receiver.answer(attemptOf(refundAuthorized()));
    expect(outcome).toMatchObject({ kind: "failed", code: "CS_HANDLER_FAILED" });
    expect(response.status).toBe(503);
    expect(response.headers["retry-after"]).toBe("5");

    fails = false;
    expect((await receiver.receive(attemptOf(refundAuthorized()))).kind).toBe("handled");
    expect(handled).toEqual(["booked"]);
  });

  it("[R-LEAK-NOTHING] shows the sender a code and the id, not the error", async () => {
    const { receiver, outcomes } = recordingReceiver();
    receiver.on("refund.authorized", () => Promise.reject(new Error("password=hunter2")));

    const { response } = await receiver.answer(attemptOf(refundAuthorized()));

    expect(response.body).toBe('{"code":"CS_HANDLER_FAILED","id":"evt_refund1"}');
    // The merchant's own observer gets the error.
    expect(outcomes[0]).toMatchObject({ kind: "failed", error: { message: "password=hunter2" } });
  });

  it("[R-ACK-AFTER-HANDLER] is not acknowledged before the handler has settled", async () => {
    const held = heldHandler();
    const { receiver } = recordingReceiver();
    receiver.on("refund.authorized", held.handler);
    let answered = false;
    const answer = receiver.receive(attemptOf(refundAuthorized())).then((outcome) => {
      answered = true;
      return outcome;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([held.runs(), answered]).toEqual([1, false]);

    held.letGo();

    expect((await answer).kind).toBe("handled");
  });
});

describe("[R-ACK-INBOX] an inbox that is away", () => {
  const broken = (method: "claim" | "complete" | "release"): Inbox => ({
    ...memoryInbox(),
    [method]: () => Promise.reject(new Error("no connection")),
  });

  it.each(["claim", "complete"] as const)("at %s fails the attempt with 503", async (method) => {
    const { receiver } = recordingReceiver({ inbox: broken(method) });
    const { outcome, response } = await receiver.answer(attemptOf(refundAuthorized()));
    expect(outcome).toMatchObject({ kind: "failed", code: "CS_INBOX_UNAVAILABLE" });
    expect(response.status).toBe(503);
  });

  it("at release leaves the handler's failure as it is", async () => {
    const { receiver } = recordingReceiver({ inbox: broken("release") });
    receiver.on("refund.authorized", () => Promise.reject(new Error("no")));
    const outcome = await receiver.receive(attemptOf(refundAuthorized()));
    expect(outcome).toMatchObject({ kind: "failed", code: "CS_HANDLER_FAILED" });
  });

  it("is told when the handler outlived its lease and another claim was made", async () => {
    const clock = { now: NOON };
    const first = heldHandler();
    const { receiver } = recordingReceiver({ now: () => clock.now });
    receiver.on("refund.authorized", () =>
      first.runs() === 0 ? first.handler() : Promise.resolve(),
    );
    const slow = receiver.receive(attemptOf(refundAuthorized()));
    await new Promise((resolve) => setImmediate(resolve));
    clock.now += 60_000;

    expect((await receiver.receive(attemptOf(refundAuthorized()))).kind).toBe("handled");
    first.letGo();
    expect(await slow).toMatchObject({ kind: "failed", code: "CS_CLAIM_LOST" });
  });
});

describe("concurrent handlers", () => {
  it("beyond the limit are answered 503 at answerMs, and the place is free again afterwards", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const held = heldHandler();
    const limits = { concurrentHandlers: 2, answerMs: 1000 };
    const { receiver } = recordingReceiver({ limits });
    receiver.on("refund.authorized", held.handler);
    const running = ["evt_1", "evt_2"].map((id) =>
      receiver.receive(attemptOf(refundAuthorized(id))),
    );

    const third = receiver.answer(attemptOf(refundAuthorized("evt_3")));
    await vi.advanceTimersByTimeAsync(1000);
    const { outcome, response } = await third;
    expect(outcome).toMatchObject({ kind: "rejected", code: "CS_RECEIVER_BUSY" });
    expect(response).toMatchObject({ status: 503, headers: { "retry-after": "5" } });

    held.letGo();
    await Promise.all(running);
    expect((await receiver.receive(attemptOf(refundAuthorized("evt_3")))).kind).toBe("handled");
  });
});

describe("secrets by a function", () => {
  it("that finds none refuse the attempt like any signature", async () => {
    const { receiver } = recordingReceiver({ secrets: () => ({ tenant: "", secrets: [] }) });
    const { outcome, response } = await receiver.answer(attemptOf(refundAuthorized()));
    expect(outcome).toMatchObject({ kind: "rejected", code: "CS_TENANT_UNKNOWN" });
    expect(response.body).toBe('{"code":"CS_SIGNATURE_REFUSED"}');
  });

  it.each([
    ["throws", () => Promise.reject(new Error("vault away"))],
    ["returns a garbled secret", () => ({ tenant: "", secrets: ["hunter2"] })],
    // As plain JavaScript may return it.
    ["returns a bare list", () => [secret] as never],
  ])("that %s fail the attempt with 503", async (_what, secrets) => {
    const { receiver } = recordingReceiver({ secrets });
    const { outcome, response } = await receiver.answer(attemptOf(refundAuthorized()));
    expect(outcome).toMatchObject({ kind: "failed", code: "CS_SECRETS_UNAVAILABLE" });
    expect(response).toMatchObject({ status: 503, body: '{"code":"CS_SECRETS_UNAVAILABLE"}' });
  });
});

describe("an event that was handled", () => {
  const DAY = 86_400_000;
  const purged: { before: number; limit: number }[] = [];
  const inbox = (forgotten: readonly number[]): Inbox => {
    const answers = [...forgotten];
    return {
      ...memoryInbox(),
      purge: (request) => {
        purged.push(request);
        return Promise.resolve(answers.shift() ?? 0);
      },
    };
  };

  it("is forgotten beside later attempts, once its retention has passed, a thousand at a time", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const clock = { now: NOON };
    const { receiver } = recordingReceiver({
      inbox: inbox([1000, 7]),
      retention: 10 * DAY,
      now: () => clock.now,
    });
    await receiver.receive({ headers: {}, body: new Uint8Array() });
    // The wall clock may jump.
    clock.now += 3_600_000;
    await receiver.receive({ headers: {}, body: new Uint8Array() });
    expect(purged).toEqual([]);
    vi.advanceTimersByTime(60_000);
    await receiver.receive({ headers: {}, body: new Uint8Array() });
    await receiver.receive({ headers: {}, body: new Uint8Array() });
    await new Promise((resolve) => setImmediate(resolve));
    const request = { before: clock.now - 10 * DAY, limit: 1000 };
    expect(purged).toEqual([request, request]);
  });
});
