import { expect, it } from "vitest";
import { onStores, postgres } from "../store/stores.ts";
import { terminateFor } from "./terminated.ts";

onStores([postgres], ({ create, open }) => {
  it("B22: a service whose connections end every 200 ms goes on, loses nothing and does nothing twice", async () => {
    const address = await create();
    const met = await terminateFor(5000, { address, driver: await open(address) });
    expect(met.refunds).toBeGreaterThan(0);
    expect(met.terminated).toBeGreaterThan(10);
  }, 60_000);
});
