import { expect, it } from "vitest";
import { onStores, postgres, sqlite } from "../store/stores.ts";
import { killAfter, shareWork, terminateFor } from "./instances.ts";

onStores([sqlite, postgres], (store) => {
  it("processes that are killed during refunds leave records and events, or neither and free keys", async () => {
    await expect(killAfter(store, [1, 5, 10, 20])).resolves.toBeUndefined();
  });
});

onStores([postgres], (store) => {
  it("three processes share due refunds and deliveries, and do none of them twice", async () => {
    await expect(shareWork(store, 3, 250)).resolves.toBeUndefined();
  });

  it("B22: a service whose connections end every 200 ms for a minute goes on, loses nothing and does nothing twice", async () => {
    const met = await terminateFor(store, 60_000);
    console.log(`terminated: ${JSON.stringify(met)}`);
    expect(met).toBeDefined();
  });
});
