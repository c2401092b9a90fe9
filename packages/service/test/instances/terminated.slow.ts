import { expect, it } from "vitest";
import { onStores, postgres } from "../store/stores.ts";
import { terminateFor } from "./terminated.ts";

onStores([postgres], ({ create, open }) => {
  it("a service whose connections end every 200 ms for a minute goes on, loses nothing and does nothing twice", async () => {
    const address = await create();
    const met = await terminateFor(60_000, { address, driver: await open(address) });
    console.log(`terminated: ${JSON.stringify(met)}`);
    expect(met.refunds).toBeGreaterThan(0);
    expect(met.terminated).toBeGreaterThan(100);
  });
});
