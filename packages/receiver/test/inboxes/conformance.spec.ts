import { AssertionError } from "node:assert";
import type { InboxQueue } from "@countersign/receiver";
import { inboxConformance } from "@countersign/receiver/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sqliteInTest } from "./in-test.ts";
import { conformingStores, type TestStore } from "./stores.ts";

for (const { store, hasQueue } of conformingStores)
  describe.skipIf(store.skipped !== "")(`${store.name}${store.skipped}`, () => {
    let started: Awaited<ReturnType<TestStore["start"]>>;
    beforeAll(async () => {
      started = await store.start();
    }, 60_000);
    afterAll(() => started.stop());

    const checks = inboxConformance({
      open: () => started.open(),
      close: (inbox) => started.close?.(inbox),
      parts: ["claims", "resources", ...(hasQueue ? (["queue"] as const) : [])],
    });
    it.each(checks)("$name", async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    });
  });

it("an inbox that takes one stored event twice fails the promise to store it once", async () => {
  const inbox = sqliteInTest();
  const queue: InboxQueue = {
    ...inbox.queue,
    take: async (request) => {
      const events = await inbox.queue.take(request);
      return [...events, ...events];
    },
  };
  const checks = inboxConformance({ open: () => ({ ...inbox, queue }), parts: ["queue"] });
  const check = checks.find(({ name }) => name.startsWith("stores an event once"));
  await expect(check?.run()).rejects.toThrow(AssertionError);
});
