import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryInbox } from "@countersign/receiver";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { attemptOf, NOON, recordingReceiver, refundAuthorized } from "../fixtures.ts";

const folder = mkdtempSync(join(tmpdir(), "countersign-load-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("A27: a flood of events", () => {
  const limit = 16;
  const ids = Array.from({ length: limit * 20 }, (_, index) => `evt_${String(index)}`);

  it("[R-LOAD-SHED] runs no more handlers than the limit; the others wait, and after answerMs are answered 503 and lose nothing", async () => {
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

  it("leaves a memory inbox as large as it may be, and no larger", async () => {
    const inbox = memoryInbox({ capacity: 50 });
    const { receiver, handled } = recordingReceiver({ inbox });
    for (const id of ids) await receiver.receive(attemptOf(refundAuthorized(id)));
    const before = handled.length;
    expect(before).toBe(ids.length);

    // What it still knows are the last fifty.
    const kinds: string[] = [];
    for (const id of ids.slice(-50))
      kinds.push((await receiver.receive(attemptOf(refundAuthorized(id)))).kind);
    expect(new Set(kinds)).toEqual(new Set(["duplicate"]));
    expect((await receiver.receive(attemptOf(refundAuthorized("evt_0")))).kind).toBe("handled");
  });
});

describe("A28: an event whose handler always fails", () => {
  it("does not block another one, and is tried again with each attempt", async () => {
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

  it("and ends the process each time is dead after as many claims, and the others are handled", async () => {
    const path = join(folder, "poison.db");
    const ids = Array.from({ length: 100 }, (_, index) => `evt_${String(index)}`);
    const key = (id: string) => ({ tenant: "", id });
    let inbox = sqliteInbox(path);
    for (const id of [...ids, "evt_poison"])
      await inbox.queue.store({
        key: key(id),
        digest: "d",
        type: "refund.authorized",
        body: "{}",
        now: NOON,
      });

    const done: string[] = [];
    let crashes = 0;
    for (let now = NOON; now < NOON + 600_000; now += 60_001) {
      const taken = await inbox.queue.take({ limit: 200, leaseMs: 60_000, now, maxAttempts: 3 });
      for (const { key: taking, token } of taken.filter((one) => one.key.id !== "evt_poison"))
        if (await inbox.complete({ key: taking, token, now })) done.push(taking.id);
      if (taken.every((one) => one.key.id !== "evt_poison")) continue;
      // The process ends here: nothing is settled, and the file is all that is left.
      crashes += 1;
      inbox.close();
      inbox = sqliteInbox(path);
    }
    const dead = await inbox.queue.dead({ limit: 10 });
    inbox.close();

    expect(done.toSorted()).toEqual(ids.toSorted());
    expect(crashes).toBe(3);
    expect(dead).toMatchObject([{ key: key("evt_poison"), attempts: 3 }]);
    expect(dead[0]?.reason).toMatch(/^CS_CLAIM_LOST/);
  });
});
