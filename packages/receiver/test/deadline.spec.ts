import { setImmediate } from "node:timers/promises";
import {
  type BodyReader,
  type HandlerContext,
  type Inbox,
  type InboxTransaction,
  memoryInbox,
} from "@countersign/receiver";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  nameOf,
  NOON,
  recordingReceiver,
  refundAttempt,
  refundAuthorized,
  secret,
} from "./fixtures.ts";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it.each([
  ["keeps its slot with the connection of its transaction", true, 1],
  ["frees its handler's slot otherwise", false, 2],
])("an event that is being completed %s", async (_what, holdsConnection, started) => {
  const gate = Promise.withResolvers<void>();
  const commit = vi.fn<InboxTransaction<unknown>["commit"]>(async () => {
    await gate.promise;
    return { state: "committed" };
  });
  const transaction = { transaction: {}, holdsConnection, commit, rollback: () => gate.promise };
  const { handled, send } = recordingReceiver({
    order: "per-resource",
    limits: { concurrentHandlers: 1 },
    inbox: { ...memoryInbox(), begin: () => transaction } as Inbox,
  });
  const event = refundAuthorized("evt_2");
  const other = { ...event, data: { ...event.data, paymentId: "ref_2" } };
  const sent = [send(), send(other)];
  await setImmediate();
  expect(handled).toHaveLength(started);
  gate.resolve();
  expect((await Promise.all(sent)).map(nameOf)).toEqual(["handled", "handled"]);
  expect(commit.mock.calls).toEqual([[NOON], [NOON]]);
});

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
      onOutcome: (outcome, { late }) => void reported.push([nameOf(outcome), late === true]),
      ...options,
    });
    const handler = vi.fn<(event: unknown, context: HandlerContext) => Promise<void>>(() =>
      sleep(handlerMs),
    );
    receiver.on("refund.authorized", handler);
    const send = async (id = "evt_1", more: { body?: BodyReader } = {}): Promise<string> =>
      nameOf(await receiver.receive({ ...refundAttempt(id), ...more }));
    /** Sends the event, lets time pass, and returns its outcome. */
    const sendAndWait = async (ms = 0): Promise<string> => {
      const outcome = send();
      await vi.advanceTimersByTimeAsync(ms);
      return outcome;
    };
    return { receiver, handler, reported, logged, send, sendAndWait };
  }

  it("is the sender's timeout less one second by default", async () => {
    const { reported, send } = slow(20_000, { limits: {}, lease: 60_000 });
    void send();
    await vi.advanceTimersByTimeAsync(13_999);
    expect(reported).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(reported).toEqual([["CS_HANDLER_TIMEOUT", false]]);
  });

  it("covers the body, which is given up after limits.bodyMs", async () => {
    const { send, handler, reported } = slow(5000, { limits: { bodyMs: 300, answerMs: 1000 } });
    const readIn =
      (ms: number): BodyReader =>
      (incoming) =>
        new Promise((resolve) => {
          incoming.onRefused = (error) => resolve({ error });
          setTimeout(() => resolve(refundAttempt("evt_1").body), ms);
        });
    void send("evt_1", { body: readIn(301) });
    await vi.advanceTimersByTimeAsync(299);
    expect(reported).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(reported).toEqual([["CS_BODY_TIMEOUT", false]]);

    // A reader that ignores it is answered all the same.
    void send("evt_0", { body: () => new Promise(() => undefined) });
    await vi.advanceTimersByTimeAsync(1000);
    expect(reported.splice(1)).toEqual([["CS_BODY_TIMEOUT", false]]);

    void send("evt_1", { body: readIn(299) });
    await vi.advanceTimersByTimeAsync(999);
    expect(handler).toHaveBeenCalledTimes(1);
    expect(reported).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(reported[1]).toEqual(["CS_HANDLER_TIMEOUT", false]);
  });

  it("[R-ACK-IN-TIME] [R-ACK-FAILED] answers 503 and aborts the signal, but a handler that succeeds within its lease has handled the event", async () => {
    const { receiver, handler, reported, logged, send } = slow(4000);
    const answer = receiver.answer(refundAttempt("evt_1"));
    await vi.advanceTimersByTimeAsync(1000);
    expect((await answer).response.status).toBe(503);
    expect(handler.mock.calls[0]?.[1].signal.aborted).toBe(true);
    expect(await send()).toBe("in_progress");

    await vi.advanceTimersByTimeAsync(3000);
    expect(await send()).toBe("duplicate");
    expect(handler).toHaveBeenCalledTimes(1);
    expect(reported).toEqual([
      ["CS_HANDLER_TIMEOUT", false],
      ["in_progress", false],
      ["handled", true],
      ["duplicate", false],
    ]);
    expect(logged.mock.calls[0]?.[0]).toContain("within limits.answerMs (1000 ms)");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("frees the event of a late handler that fails, and logs its error once", async () => {
    const { handler, reported, logged, sendAndWait } = slow(0);
    handler.mockImplementationOnce(async () => {
      await sleep(3000);
      throw new Error("ledger is away");
    });
    await sendAndWait(3000);
    expect(reported).toEqual([
      ["CS_HANDLER_TIMEOUT", false],
      ["CS_HANDLER_FAILED", true],
    ]);
    expect(logged).toHaveBeenCalledTimes(2);
    expect(logged.mock.calls[1]?.[0]).toContain("Error: ledger is away");
    expect(await sendAndWait()).toBe("handled");
  });

  it("reports CS_CLAIM_LOST for a handler that outlives its lease, completes nothing, logs its later error and lets the retry run", async () => {
    const inbox = memoryInbox();
    const complete = vi.fn<Inbox["complete"]>((given) => inbox.complete(given));
    const { handler, reported, logged, sendAndWait } = slow(0, { inbox: { ...inbox, complete } });
    handler.mockImplementationOnce(async () => {
      await sleep(7000);
      throw new Error("ledger is away");
    });
    await sendAndWait(5000);
    expect(reported).toEqual([
      ["CS_HANDLER_TIMEOUT", false],
      ["CS_CLAIM_LOST", true],
    ]);
    handler.mockImplementationOnce(() => Promise.resolve());
    expect(await sendAndWait()).toBe("handled");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(complete).toHaveBeenCalledTimes(1);
    expect(handler).toHaveBeenCalledTimes(2);
    expect(logged.mock.calls.map(([text]) => text)).toEqual([
      expect.stringContaining("CS_HANDLER_TIMEOUT"),
      expect.stringContaining("still running when its lease of 5000 ms ended"),
      expect.stringContaining("CS_HANDLER_FAILED refund.authorized evt_1: Error: ledger is away"),
    ]);
  });

  it("does not complete a handler that blocked the process beyond its lease", async () => {
    const { receiver, handler, sendAndWait } = slow(0);
    handler.mockImplementationOnce(() => {
      // No timer fires in a blocked process.
      vi.spyOn(performance, "now").mockReturnValueOnce(performance.now() + 5000);
      return Promise.resolve();
    });
    const outcome = receiver.receive(refundAttempt("evt_1"));
    expect(await outcome).toMatchObject({ code: "CS_CLAIM_LOST" });
    await vi.advanceTimersByTimeAsync(5000);
    expect(await sendAndWait()).toBe("handled");
  });

  it("covers a secrets function and an inbox that do not answer, and starts no handler when they do later", async () => {
    const gate = Promise.withResolvers<void>();
    const memory = memoryInbox();
    const claim: Inbox["claim"] = (given) => gate.promise.then(() => memory.claim(given));
    const lateSecrets = () => gate.promise.then(() => ({ tenant: "", secrets: [secret] }));
    const secretless = slow(0, { secrets: lateSecrets });
    const inboxless = slow(0, { inbox: { ...memory, claim } });
    const never = { ...memoryInbox(), complete: () => new Promise<never>(() => undefined) };
    const uncompleted = slow(0, { inbox: never });
    expect(await secretless.sendAndWait(1000)).toBe("CS_SECRETS_UNAVAILABLE");
    expect(await uncompleted.sendAndWait(1000)).toBe("CS_INBOX_UNAVAILABLE");
    expect(secretless.logged.mock.calls[0]?.[0]).toContain('"secrets" did not answer within');
    expect(uncompleted.logged.mock.calls[0]?.[0]).toContain("the inbox did not answer in time");
    expect(await inboxless.sendAndWait(1000)).toBe("CS_INBOX_UNAVAILABLE");
    gate.resolve();
    await vi.advanceTimersByTimeAsync(0);
    for (const { handler, sendAndWait } of [secretless, inboxless]) {
      expect(handler).not.toHaveBeenCalled();
      expect(await sendAndWait()).toBe("handled");
    }
  });

  it("A27: [R-LOAD-SHED] covers waiting: attempts beyond concurrentHandlers run in their order and get 503 after answerMs", async () => {
    const { receiver, handler, send } = slow(400, {
      limits: { answerMs: 1000, concurrentHandlers: 1 },
    });
    const ids = ["evt_1", "evt_2", "evt_3", "evt_4"];
    const answers = ids.map((id) => receiver.answer(refundAttempt(id)));
    await vi.advanceTimersByTimeAsync(1000);
    const answered = await Promise.all(answers);
    const names = answered.map(({ outcome }) => nameOf(outcome));
    expect(names).toEqual(["handled", "handled", "CS_HANDLER_TIMEOUT", "CS_RECEIVER_BUSY"]);
    const busy = { status: 503, headers: { "retry-after": "5" } };
    for (const { response } of answered.slice(2)) expect(response).toMatchObject(busy);
    expect(answered[3]?.response.body).toBe('{"code":"CS_RECEIVER_BUSY","id":"evt_4"}');
    // Its claim is released at once: the retry is not "in_progress".
    const next = send("evt_4");
    await vi.advanceTimersByTimeAsync(199);
    expect(handler.mock.calls).toMatchObject(ids.slice(0, 3).map((id) => [{ id }, {}]));
    // The slot is free again.
    await vi.advanceTimersByTimeAsync(401);
    expect(await next).toBe("handled");
    // And it is one slot: the second of two waits again.
    void send("evt_5");
    void send("evt_6");
    await vi.advanceTimersByTimeAsync(399);
    expect(handler.mock.calls.at(-1)).toMatchObject([{ id: "evt_5" }, {}]);
    await vi.advanceTimersByTimeAsync(1);
    expect(handler.mock.calls.at(-1)).toMatchObject([{ id: "evt_6" }, {}]);
  });

  it("frees the claim of an attempt whose time the inbox took, also while all slots are taken", async () => {
    const inbox = memoryInbox();
    const claim = vi.fn<Inbox["claim"]>((given) => inbox.claim(given));
    const limits = { answerMs: 1000, concurrentHandlers: 1 };
    const { send } = slow(4000, { limits, inbox: { ...inbox, claim } });
    void send("evt_1");
    await vi.advanceTimersByTimeAsync(0);
    claim.mockImplementationOnce((given) => sleep(1500).then(() => inbox.claim(given)));
    void send("evt_2");
    await vi.advanceTimersByTimeAsync(1500);
    const retry = send("evt_2");
    await vi.advanceTimersByTimeAsync(1000);
    expect(await retry).toBe("CS_RECEIVER_BUSY");
  });

  it("answers in_progress for a retry of an event in progress, and duplicate for a handled one, while all slots are taken", async () => {
    const { handler, send } = slow(500, { limits: { answerMs: 2000, concurrentHandlers: 1 } });
    handler.mockImplementationOnce(() => Promise.resolve());
    expect(await send("evt_1")).toBe("handled");
    const begun = ["evt_2", "evt_3"].map((id) => send(id));
    await vi.advanceTimersByTimeAsync(0);
    const repeats = ["evt_1", "evt_2", "evt_3"].map((id) => send(id));
    await vi.advanceTimersByTimeAsync(0);
    expect(await Promise.all(repeats)).toEqual(["duplicate", "in_progress", "in_progress"]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await Promise.all(begun)).toEqual(["handled", "handled"]);
  });
});
