import { expect, it } from "vitest";
import { onStores, postgres, sqlite } from "../store/stores.ts";
import { startReceiver } from "./receiver.ts";
import { refundClient, type Asked } from "./refund-client.ts";
import { shareDatabase } from "./shared-database.ts";
import { startInstance } from "./start-instance.ts";
import { expectToldOnce } from "./told-once.ts";

/** How many refunds of each round are answered before the process is killed. */
const KILLED_AFTER = [1, 10];
const CALLS = 40;

onStores([sqlite, postgres], ({ create, open }) => {
  it("a process killed in the middle of refunds leaves record and event, or neither and a free key", async () => {
    const address = await create();
    const driver = await open(address);
    const receiver = await startReceiver();
    const { token, paymentId } = await shareDatabase(driver, receiver.url);
    const ask = refundClient(token, paymentId);
    const created: string[] = [];
    const lost: string[] = [];
    for (const [round, enough] of KILLED_AFTER.entries()) {
      const instance = await startInstance(address);
      const { promise: killing, resolve: kill } = Promise.withResolvers<void>();
      let answered = 0;
      const calls = Array.from({ length: CALLS }, async (_, index) => {
        const key = `round-${round}-${index}`;
        const asked: Asked = await ask(instance.url, key);
        if (asked === "lost") lost.push(key);
        else if (asked === "created") created.push(key);
        if (++answered === enough) kill();
      });
      await killing;
      await instance.kill();
      await Promise.all(calls);
    }

    const keys = await expectToldOnce(driver, paymentId);
    expect(created.filter((key) => !keys.has(key))).toEqual([]);
    // Both sides of the kill were met, or the rounds proved nothing.
    const free = lost.filter((key) => !keys.has(key));
    expect(created.length).toBeGreaterThan(0);
    expect(free.length).toBeGreaterThan(0);

    const instance = await startInstance(address);
    const again = await Promise.all(lost.slice(0, 20).map((key) => ask(instance.url, key)));
    expect(again).toEqual(lost.slice(0, 20).map((key) => (keys.has(key) ? "known" : "created")));
    await expectToldOnce(driver, paymentId);
    await instance.kill();
  }, 40_000);
});
