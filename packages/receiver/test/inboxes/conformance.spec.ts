import { inboxConformance } from "@countersign/receiver/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
