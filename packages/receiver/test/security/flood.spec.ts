import { createReceiver } from "@countersign/receiver";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { attemptOf, NOON, refundAuthorized, secret } from "../fixtures.ts";
import { flood } from "./flood.ts";

describe("A27: a flood of events that are stored", () => {
  it("waits beyond 256 that are stored at once, and is handled in full", async () => {
    const { accepted, lost } = await flood({ waves: 2, atOnce: 2560 });
    expect(accepted).toBe(2 * 2560);
    expect(lost).toEqual([]);
  });

  it("is stored by at most 256 attempts at once", async () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-flood-"));
    const inbox = sqliteInbox(join(folder, "inbox.db"));
    const gates: (() => void)[] = [];
    const store = vi
      .spyOn(inbox.queue, "store")
      .mockImplementation(() => new Promise((resolve) => gates.push(() => resolve("stored"))));
    vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    try {
      const receiver = createReceiver({
        secrets: [secret],
        fallback: () => undefined,
        inbox,
        acknowledge: "after-store",
        now: () => NOON,
      });
      const ids = Array.from({ length: 300 }, (_, index) => `evt_${String(index)}`);
      const answers = ids.map((id) => receiver.answer(attemptOf(refundAuthorized(id))));
      await vi.waitUntil(() => gates.length === 256);
      await new Promise((resolve) => setImmediate(resolve));
      expect(store).toHaveBeenCalledTimes(256);
      for (const open of gates) open();
      await vi.waitUntil(() => gates.length === 300);
      for (const open of gates) open();
      const statuses = (await Promise.all(answers)).map(({ response }) => response.status);
      expect(new Set(statuses)).toEqual(new Set([202]));
    } finally {
      vi.restoreAllMocks();
      inbox.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
