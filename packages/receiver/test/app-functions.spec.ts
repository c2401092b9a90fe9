import { setImmediate } from "node:timers/promises";
import { type InboxQueue, memoryInbox, type Outcome } from "@countersign/receiver";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { attemptOf, genuine, NOON, recordingReceiver, refundAuthorized } from "./fixtures.ts";
import { sqliteInTest } from "./inboxes/in-test.ts";

const rejected: unknown[] = [];
const onRejected = (error: unknown): void => void rejected.push(error);
beforeEach(() => {
  rejected.length = 0;
  process.on("unhandledRejection", onRejected);
});
afterEach(() => void process.off("unhandledRejection", onRejected));

const away = (): Promise<never> => Promise.reject(new Error("away"));
// As plain JavaScript may pass it.
const asyncOutcome = away as never;
const asyncLog = { warn: away, error: away } as never;
const asyncRespond = away as never;

describe("a function of the app that rejects where no promise is expected", () => {
  const lines: string[] = [];
  const log = {
    warn: (text: string) => void lines.push(text),
    error: (text: string) => void lines.push(text),
  };
  beforeEach(() => void (lines.length = 0));

  it("is logged as onOutcome and does not end the process", async () => {
    const { send } = recordingReceiver({ log, onOutcome: asyncOutcome });
    expect((await send()).kind).toBe("handled");
    await setImmediate();
    expect(lines).toEqual([expect.stringMatching(/onOutcome threw: Error: away\n/)]);
    expect(rejected).toEqual([]);
  });

  it("is logged once as respond, answered 503 and does not end the process", async () => {
    const { receiver } = recordingReceiver({ log, respond: asyncRespond });
    for (const attempt of [genuine, attemptOf({ ...refundAuthorized("evt_2"), data: {} })]) {
      const { response } = await receiver.answer(attempt);
      expect(response).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
    }
    await setImmediate();
    expect(rejected).toEqual([]);
    const line: unknown = expect.stringMatching(
      /CS_RECEIVER_FAILED.* "respond" .*, not a promise\n/,
    );
    expect(lines).toEqual([line, line]);
  });

  it("is ignored as a logger", async () => {
    const { send } = recordingReceiver({ log: asyncLog });
    expect((await send(undefined, { now: NOON - 400_000 })).kind).toBe("rejected");
    await setImmediate();
    expect(rejected).toEqual([]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("away");
      },
      60_000,
    ],
    ["rejects", away, 60_000],
    ["returns text", () => "5000", 60_000],
    ["returns NaN", () => NaN, 60_000],
    ["returns a negative number", () => -1, 60_000],
    ["returns part of a millisecond", () => 999.5, 1000],
    ["returns Infinity", () => Infinity, 31_536_000_000],
  ])(
    "sets the next attempt of an event when workers.backoff %s",
    async (_what, backoff, waitMs) => {
      const inbox = sqliteInTest();
      const worked = Promise.withResolvers<Outcome>();
      const { receiver, send } = recordingReceiver({
        inbox,
        log,
        acknowledge: "after-store",
        // As plain JavaScript may pass it.
        workers: { backoff: backoff as () => number },
        onOutcome: (outcome, { worker }) => {
          if (worker !== undefined) worked.resolve(outcome);
        },
      });
      receiver.on("refund.authorized", away);
      onTestFinished(() => receiver.stop());
      receiver.start();
      await send();
      expect(await worked.promise).toMatchObject({ code: "CS_HANDLER_FAILED" });
      const { oldest } = await inbox.queue.status({ dueBefore: 0 });
      expect(oldest).toMatchObject({ attempts: 1, dueAt: NOON + waitMs });
      expect(rejected).toEqual([]);
    },
  );
});

it("a clock with fractions of milliseconds is rounded for the inbox", async () => {
  const { send } = recordingReceiver({ inbox: sqliteInTest(), now: () => NOON + 0.5 });
  expect((await send()).kind).toBe("handled");
});

describe("the housekeeping of a receiver", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());
  const receiverWith = (options: Parameters<typeof recordingReceiver>[0]) => {
    const { receiver } = recordingReceiver(options);
    return async (): Promise<unknown> => {
      vi.advanceTimersByTime(60_000);
      const { kind } = await receiver.receive(genuine);
      await setImmediate();
      return kind;
    };
  };

  it("asks nothing a second time while a purge or queue.status does not answer", async () => {
    const never = () => new Promise<never>(() => undefined);
    for (const isPurge of [true, false]) {
      const purge = vi.fn<() => Promise<number>>(isPurge ? never : () => Promise.resolve(0));
      const status = vi.fn<InboxQueue["status"]>(never);
      const queue = isPurge ? undefined : { ...sqliteInTest().queue, status };
      const minute = receiverWith({ inbox: { ...memoryInbox(), purge, ...(queue && { queue }) } });
      for (let count = 0; count < 3; count += 1) await minute();
      expect(purge).toHaveBeenCalledTimes(1);
      expect(status).toHaveBeenCalledTimes(isPurge ? 0 : 1);
    }
  });

  it("tries again in a minute after a purge that rejects", async () => {
    const purge = vi.fn<() => Promise<number>>(away);
    const minute = receiverWith({ inbox: { ...memoryInbox(), purge } });
    for (let count = 0; count < 3; count += 1) await minute();
    expect(purge).toHaveBeenCalledTimes(3);
    expect(rejected).toEqual([]);
  });

  it("rejects no attempt if the clock of the app throws", async () => {
    const now = (): never => {
      throw new Error("no clock");
    };
    expect(await receiverWith({ now })()).toBe("failed");
  });
});

it("a worker takes again after a take that rejects, and an event again after its failure could not be recorded", async () => {
  vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  onTestFinished(() => void vi.restoreAllMocks());
  const inbox = sqliteInTest();
  const outcomes: Outcome[] = [];
  let clock = NOON;
  const { receiver, send } = recordingReceiver({
    inbox,
    acknowledge: "after-store",
    workers: { pollMs: 5 },
    now: () => clock,
    onOutcome: (outcome) => void outcomes.push(outcome),
  });
  let fails = true;
  receiver.on("refund.authorized", () => {
    if (fails) throw new Error("no");
  });
  vi.spyOn(inbox.queue, "take").mockImplementationOnce(away);
  vi.spyOn(inbox.queue, "fail").mockImplementationOnce(away);
  await send(refundAuthorized("evt_1"));
  onTestFinished(() => receiver.stop());
  receiver.start();
  const unavailable = (): number =>
    outcomes.filter((outcome) => "code" in outcome && outcome.code === "CS_INBOX_UNAVAILABLE")
      .length;
  await vi.waitUntil(() => unavailable() === 2);
  fails = false;
  clock += 60_000;
  await vi.waitUntil(() => outcomes.some(({ kind }) => kind === "handled"));
  expect(rejected).toEqual([]);
});
