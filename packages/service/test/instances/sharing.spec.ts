import { expect, it } from "vitest";
import { onStores, postgres } from "../store/stores.ts";
import { startReceiver } from "./receiver.ts";
import { shareDatabase } from "./shared-database.ts";
import { startInstance } from "./start-instance.ts";
import { expectToldOnce } from "./told-once.ts";

const REFUNDS = 250;

onStores([postgres], ({ create, open }) => {
  it("three processes share due refunds and deliveries, and do none of them twice", async () => {
    const address = await create();
    const driver = await open(address);
    const receiver = await startReceiver();
    const { askDueRefunds, paymentId } = await shareDatabase(driver, receiver.url);
    await askDueRefunds(REFUNDS);
    const instances = await Promise.all([1, 2, 3].map(() => startInstance(address)));

    const count = async (sql: string): Promise<number> => {
      const text = `SELECT CAST(count(*) AS bigint) AS n FROM ${sql}`;
      return (await driver.query<{ n: number }>(text))[0]?.n ?? -1;
    };
    await expect
      .poll(() => count("deliveries WHERE state = 'delivered'"), { timeout: 20_000, interval: 50 })
      .toBeGreaterThanOrEqual(2 * REFUNDS);

    const done = await Promise.all(instances.map((one) => one.end()));
    expect(done.map((one) => one?.failures)).toEqual([0, 0, 0]);
    expect(done.filter((one) => (one?.attempts ?? 0) > 0)).toHaveLength(3);
    const sum = (of: "attempts" | "moved") => done.reduce((all, one) => all + (one?.[of] ?? 0), 0);
    // Each refund became AUTHORIZED once and told it once, and each event arrived once.
    expect(sum("moved")).toBe(REFUNDS);
    expect(await count("events WHERE type = 'refund.authorized'")).toBe(REFUNDS);
    expect((await expectToldOnce(driver, paymentId)).size).toBe(REFUNDS);
    expect(sum("attempts")).toBe(await count("deliveries"));
    expect(await count("attempts")).toBe(await count("deliveries"));
    expect([...receiver.arrivals.values()].filter((times) => times !== 1)).toEqual([]);
    expect(receiver.arrivals.size).toBe(await count("deliveries"));
  }, 40_000);
});
