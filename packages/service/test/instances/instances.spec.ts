import { expect, it } from "vitest";
import { onStores, postgres, sqlite } from "../store/stores.ts";
import { killAfter, shareWork, terminateFor } from "./instances.ts";

// The long forms are in `instances.slow.ts`.
onStores([sqlite, postgres], (store) => {
  it("a process that is killed during refunds leaves record and event, or neither and a free key", async () => {
    await expect(killAfter(store, [1, 10])).resolves.toBeUndefined();
  });
});

onStores([postgres], (store) => {
  it("two processes share due refunds and deliveries, and do none of them twice", async () => {
    await expect(shareWork(store, 2, 120)).resolves.toBeUndefined();
  });

  it("B22: a service whose connections end every 200 ms goes on, loses nothing and does nothing twice", async () => {
    await expect(terminateFor(store, 2000)).resolves.toBeDefined();
  });
});
