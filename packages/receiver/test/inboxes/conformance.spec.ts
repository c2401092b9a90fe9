import { AssertionError } from "node:assert";
import type { InboxQueue } from "@countersign/receiver";
import { inboxConformance } from "@countersign/receiver/testing";
import { expect, it } from "vitest";
import { sqliteInTest } from "./in-test.ts";
import { describeStore, queueStores, stores, type TestStore } from "./stores.ts";

const queued = new Set<TestStore>(queueStores);

for (const store of stores)
  describeStore(store, (open) => {
    const parts = [
      "claims",
      "resources",
      ...(queued.has(store) ? ["queue" as const] : []),
    ] as const;
    it.each(inboxConformance({ open, parts }))("$name", async ({ run }) => {
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
