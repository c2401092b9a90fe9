import {
  type BodyReader,
  type HandlerContext,
  type Inbox,
  memoryInbox,
  type Outcome,
} from "@countersign/receiver";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sending } from "./adapters/mounted.ts";
import { NOON, recordingReceiver, refundAttempt } from "./fixtures.ts";

const attempt = (id = "evt_1") => refundAttempt(id);
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("limits.answerMs", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A receiver whose handler takes `handlerMs`, with everything it reports. */
  function slow(handlerMs: number, options: Parameters<typeof recordingReceiver>[0] = {}) {
    const reported: [string, boolean][] = [];
    const logged = vi.fn<(text: string) => void>();
    const { receiver } = recordingReceiver({
      limits: { answerMs: 1000 },
      lease: 5000,
      now: () => NOON + performance.now(),
      log: { warn: logged, error: logged },
      onOutcome: (outcome, { late }) =>
        void reported.push(["code" in outcome ? outcome.code : outcome.kind, late === true]),
      ...options,
    });
    const handler = vi.fn<(event: unknown, context: HandlerContext) => Promise<void>>(() =>
      sleep(handlerMs),
    );
    return { receiver: receiver.on("refund.authorized", handler), handler, reported, logged };
  }

  it("is the sender's timeout less one second by default", async () => {
    const { receiver } = slow(20_000, { limits: {}, lease: 60_000 });
    const answered = vi.fn<(outcome: Outcome) => void>();
    void receiver.receive(attempt()).then(answered);
    await vi.advanceTimersByTimeAsync(13_999);
    expect(answered).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(answered).toHaveBeenCalledWith(expect.objectContaining({ code: "CS_HANDLER_TIMEOUT" }));
  });

  it("covers the body, which is given up after limits.bodyMs", async () => {
    const { receiver, handler } = slow(5000, { limits: { bodyMs: 300, answerMs: 1000 } });
    const answered: (string | undefined)[] = [];
    const genuine = attempt();
    const send = async (readMs: number): Promise<void> => {
      const body: BodyReader = (incoming) =>
        new Promise((resolve) => {
          incoming.onRefused = (error) => resolve({ error });
          setTimeout(() => resolve(genuine.body), readMs);
        });
      const outcome = await receiver.receive({ ...genuine, body });
      answered.push("code" in outcome ? outcome.code : outcome.kind);
    };
    void send(301);
    await vi.advanceTimersByTimeAsync(299);
    expect(answered).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(answered).toEqual(["CS_BODY_TIMEOUT"]);

    void send(299);
    await vi.advanceTimersByTimeAsync(999);
    expect(handler).toHaveBeenCalledTimes(1);
    expect(answered).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(answered).toEqual(["CS_BODY_TIMEOUT", "CS_HANDLER_TIMEOUT"]);
  });

  it("[R-ACK-IN-TIME] [R-ACK-FAILED] answers 503 and aborts the signal, but a handler that succeeds within its lease has handled the event", async () => {
    const { receiver, handler, reported } = slow(4000);
    const answer = receiver.answer(attempt());
    await vi.advanceTimersByTimeAsync(1000);
    expect((await answer).response.status).toBe(503);
    expect(handler.mock.calls[0]?.[1].signal.aborted).toBe(true);
    expect((await receiver.receive(attempt())).kind).toBe("in_progress");

    await vi.advanceTimersByTimeAsync(3000);
    expect((await receiver.receive(attempt())).kind).toBe("duplicate");
    expect(handler).toHaveBeenCalledTimes(1);
    expect(reported).toEqual([
      ["CS_HANDLER_TIMEOUT", false],
      ["in_progress", false],
      ["handled", true],
      ["duplicate", false],
    ]);
  });

  it("frees the event of a late handler that fails, and logs its error", async () => {
    const { receiver, handler, reported, logged } = slow(0);
    handler.mockImplementationOnce(async () => {
      await sleep(3000);
      throw new Error("ledger is away");
    });
    const answer = receiver.receive(attempt());
    await vi.advanceTimersByTimeAsync(3000);
    await answer;
    expect(reported).toEqual([
      ["CS_HANDLER_TIMEOUT", false],
      ["CS_HANDLER_FAILED", true],
    ]);
    expect(logged.mock.calls.at(-1)?.[0]).toContain("Error: ledger is away");
    const retry = receiver.receive(attempt());
    await vi.advanceTimersByTimeAsync(0);
    expect((await retry).kind).toBe("handled");
  });

  it("reports CS_CLAIM_LOST for a handler that outlives its lease, completes nothing and lets the retry run", async () => {
    const inbox = memoryInbox();
    const complete = vi.fn<Inbox["complete"]>((given) => inbox.complete(given));
    const { receiver, handler, reported } = slow(7000, { inbox: { ...inbox, complete } });
    void receiver.receive(attempt());
    await vi.advanceTimersByTimeAsync(5000);
    expect(reported).toEqual([
      ["CS_HANDLER_TIMEOUT", false],
      ["CS_CLAIM_LOST", true],
    ]);
    handler.mockImplementationOnce(() => Promise.resolve());
    const retry = receiver.receive(attempt());
    await vi.advanceTimersByTimeAsync(0);
    expect((await retry).kind).toBe("handled");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(complete).toHaveBeenCalledTimes(1);
    expect(handler).toHaveBeenCalledTimes(2);
  });

  it("does not complete a handler that blocked the process beyond its lease", async () => {
    const { receiver, handler } = slow(0);
    handler.mockImplementationOnce(() => {
      vi.setSystemTime(Date.now() + 5000);
      vi.advanceTimersByTime(5000);
      return Promise.resolve();
    });
    const outcome = receiver.receive(attempt());
    await vi.advanceTimersByTimeAsync(0);
    expect(await outcome).toMatchObject({ kind: "failed" });
    const retry = receiver.receive(attempt());
    await vi.advanceTimersByTimeAsync(0);
    expect((await retry).kind).toBe("handled");
  });

  it("covers a secrets function and an inbox that never answer, and starts no handler later", async () => {
    const never = new Promise<never>(() => undefined);
    const gate = Promise.withResolvers<void>();
    const memory = memoryInbox();
    const inbox: Inbox = {
      ...memory,
      claim: async (given) => {
        await gate.promise;
        return memory.claim(given);
      },
    };
    const secretless = slow(0, { secrets: () => never });
    const inboxless = slow(0, { inbox });
    const answers = [secretless, inboxless].map(({ receiver }) => receiver.receive(attempt()));
    await vi.advanceTimersByTimeAsync(1000);
    expect(await Promise.all(answers)).toMatchObject([
      { code: "CS_SECRETS_UNAVAILABLE" },
      { code: "CS_INBOX_UNAVAILABLE" },
    ]);
    gate.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(inboxless.handler).not.toHaveBeenCalled();
    const retry = inboxless.receiver.receive(attempt());
    await vi.advanceTimersByTimeAsync(0);
    expect((await retry).kind).toBe("handled");
  });

  it("A27: [R-LOAD-SHED] covers waiting: attempts beyond concurrentHandlers run in their order and get 503 after answerMs", async () => {
    const order: string[] = [];
    const { receiver } = recordingReceiver({
      limits: { answerMs: 1000, concurrentHandlers: 1 },
    });
    receiver.on("refund.authorized", async ({ id }) => {
      order.push(id);
      await sleep(400);
    });
    const answers = ["evt_1", "evt_2", "evt_3", "evt_4"].map((id) => receiver.answer(attempt(id)));
    await vi.advanceTimersByTimeAsync(1000);
    const answered = await Promise.all(answers);
    const codes = answered.map(({ outcome }) => ("code" in outcome ? outcome.code : outcome.kind));
    expect(codes).toEqual(["handled", "handled", "CS_HANDLER_TIMEOUT", "CS_RECEIVER_BUSY"]);
    const busy = { status: 503, headers: { "retry-after": "5" } };
    for (const { response } of answered.slice(2)) expect(response).toMatchObject(busy);
    // Its claim is released: the retry is not "in_progress".
    await vi.advanceTimersByTimeAsync(200);
    expect(order).toEqual(["evt_1", "evt_2", "evt_3"]);
    // The slot is free again.
    const next = receiver.receive(attempt("evt_4"));
    await vi.advanceTimersByTimeAsync(400);
    expect((await next).kind).toBe("handled");
  });

  it("answers in_progress for a retry of an event in progress, and duplicate for a handled one, while all slots are taken", async () => {
    const { receiver, handler } = slow(500, { limits: { answerMs: 2000, concurrentHandlers: 1 } });
    handler.mockImplementationOnce(() => Promise.resolve());
    expect((await receiver.receive(attempt("evt_1"))).kind).toBe("handled");
    const [running, waiting] = ["evt_2", "evt_3"].map((id) => receiver.receive(attempt(id)));
    await vi.advanceTimersByTimeAsync(0);
    const repeats = ["evt_1", "evt_2", "evt_3"].map((id) => receiver.receive(attempt(id)));
    await vi.advanceTimersByTimeAsync(0);
    const kinds = (await Promise.all(repeats)).map(({ kind }) => kind);
    expect(kinds).toEqual(["duplicate", "in_progress", "in_progress"]);
    await vi.advanceTimersByTimeAsync(1000);
    expect((await running)?.kind).toBe("handled");
    expect((await waiting)?.kind).toBe("handled");
  });
});

describe("a burst of 200 events over 64 connections", () => {
  it("gets no 503 from a handler that takes 200 ms", async () => {
    const { post } = await sending(() => sleep(200), { connections: 64 });
    const statuses = await Promise.all(Array.from({ length: 200 }, post));
    expect(new Set(statuses)).toEqual(new Set([204]));
  });
});
