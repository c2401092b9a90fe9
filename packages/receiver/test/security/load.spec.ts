import { describe, expect, it, onTestFinished, vi } from "vitest";
import { attemptOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { sqliteInTest } from "../inboxes/in-test.ts";

describe("A27: a flood of events", () => {
  const limit = 16;
  const ids = Array.from({ length: limit * 20 }, (_, index) => `evt_${String(index)}`);

  it("[R-LOAD-SHED] runs as many handlers as the limit; the rest waits, gets 503 after answerMs and is handled on retry", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let [running, most] = [0, 0];
    const done: string[] = [];
    const { receiver } = recordingReceiver({
      limits: { concurrentHandlers: limit, answerMs: 13_500 },
    });
    receiver.on("refund.authorized", async ({ id }) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      running -= 1;
      done.push(id);
    });
    const send = async (open: readonly string[]): Promise<string[]> => {
      const answers = open.map((id) => receiver.answer(attemptOf(refundAuthorized(id))));
      await vi.advanceTimersByTimeAsync(14_000);
      const refused: string[] = [];
      for (const [index, { outcome, response }] of (await Promise.all(answers)).entries()) {
        if (response.status === 204) continue;
        refused.push(open[index] ?? "");
        const code = "code" in outcome ? outcome.code : undefined;
        expect(["CS_RECEIVER_BUSY", "CS_HANDLER_TIMEOUT"]).toContain(code);
        expect(response).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
      }
      return refused;
    };

    // 20 rounds of handlers that take a second each: 13 of them fit into answerMs.
    const refused = await send(ids);
    expect(refused.length).toBeGreaterThan(5 * limit);
    expect(refused).toEqual(ids.slice(-refused.length));
    expect(await send(refused)).toEqual([]);
    expect(most).toBe(limit);
    expect(done.toSorted()).toEqual(ids.toSorted());
  });

  it("is stored by at most 256 attempts at once with after-store; the rest waits", async () => {
    const inbox = sqliteInTest();
    vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    onTestFinished(() => void vi.restoreAllMocks());
    const gates: (() => void)[] = [];
    vi.spyOn(inbox.queue, "store").mockImplementation(
      () => new Promise((resolve) => gates.push(() => resolve("stored"))),
    );
    const { receiver } = recordingReceiver({ inbox, acknowledge: "after-store" });
    const answers = ids.slice(0, 300).map((id) => receiver.answer(attemptOf(refundAuthorized(id))));
    await vi.waitUntil(() => gates.length === 256);
    await new Promise((resolve) => setImmediate(resolve));
    expect(gates).toHaveLength(256);
    for (const open of gates) open();
    await vi.waitUntil(() => gates.length === 300);
    for (const open of gates) open();
    const statuses = (await Promise.all(answers)).map(({ response }) => response.status);
    expect(new Set(statuses)).toEqual(new Set([202]));
  });
});

describe("A28: an event whose handler always fails", () => {
  it("does not block another event, and runs its handler with each attempt", async () => {
    const { receiver, handled } = recordingReceiver();
    let tries = 0;
    receiver.on("refund.authorized", ({ id }) => {
      if (id === "evt_poison") {
        tries += 1;
        throw new Error("poison");
      }
      handled.push(id);
    });
    for (let round = 0; round < 5; round += 1) {
      const poison = await receiver.receive(attemptOf(refundAuthorized("evt_poison")));
      expect(poison).toMatchObject({ kind: "failed", code: "CS_HANDLER_FAILED" });
      const other = await receiver.receive(attemptOf(refundAuthorized(`evt_${String(round)}`)));
      expect(other.kind).toBe("handled");
    }
    expect(tries).toBe(5);
    expect(handled).toEqual(["evt_0", "evt_1", "evt_2", "evt_3", "evt_4"]);
  });
});
