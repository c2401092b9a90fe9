import { describe, expect, it } from "vitest";
import { Housekeeping } from "../src/housekeeping.ts";
import type { Driver } from "../src/store/driver.ts";
import { migrate } from "../src/store/migrate.ts";
import { insertToken } from "../src/store/tables/tokens.ts";
import { failCommit, hookedDriver, type DriverHooks } from "./hooked-driver.ts";
import { ManualClock } from "./manual-clock.ts";
import { insert, lockRows } from "./store/rows.ts";
import { inCi, onStores, postgres, sqlite } from "./store/stores.ts";

const DAY_MS = 86_400_000;
const NOW = 1000 * DAY_MS;
const OLD = NOW - 91 * DAY_MS;
const YOUNG = NOW - 89 * DAY_MS;

/** Keeps house until a query returns nothing twice, or a round has failed. @returns The failures. */
async function keepHouse(driver: Driver, sql: string): Promise<unknown[]> {
  const failures: unknown[] = [];
  const failed = (error: unknown): number => failures.push(error);
  const times = { retentionMs: 90 * DAY_MS, everyMs: 5 };
  const keeper = new Housekeeping({ driver, clock: new ManualClock(NOW), failed, ...times });
  keeper.start();
  let idle = 0;
  const isDone = async (): Promise<boolean> => {
    idle = (await driver.query(sql)).length === 0 ? idle + 1 : 0;
    return idle > 1 || failures.length > 0;
  };
  await expect.poll(isDone).toBe(true);
  await keeper.stop();
  return failures;
}

const idsOf = async (driver: Driver, sql: string): Promise<string[]> => {
  const rows = await driver.query<{ id: string }>(sql);
  return rows.map(({ id }) => id).toSorted();
};

async function addTokens(driver: Driver, expiries: readonly (number | null)[]): Promise<void> {
  await migrate(driver, { now: NOW });
  await driver.transaction(async (tx) => {
    await insert(tx, "merchants", { id: "m" });
    for (const [index, expiresAt] of expiries.entries()) {
      const token = { hash: `${index}`, merchantId: "m", clientId: null, scopes: ["core"] };
      await insertToken(tx, { ...token, createdAt: 0, expiresAt });
    }
  });
}
const EXPIRED = `SELECT hash AS id FROM tokens WHERE expires_at <= ${NOW}`;
const TOKENS = "SELECT hash AS id FROM tokens";

onStores([sqlite, inCi(postgres)], ({ open }) => {
  describe("housekeeping", () => {
    it("deletes all expired tokens in batches, and no other token", async () => {
      const driver = await open();
      const expired = Array.from({ length: 1100 }, (_, index) => NOW - index);
      await addTokens(driver, [NOW + 1, null, ...expired]);
      expect(await keepHouse(driver, EXPIRED)).toEqual([]);
      expect(await idsOf(driver, TOKENS)).toEqual(["0", "1"]);
    });

    it("reports a failed round and deletes nothing in it", async () => {
      const hooks: DriverHooks = {};
      const driver = hookedDriver(await open(), hooks);
      await addTokens(driver, [NOW - 1]);
      hooks.commit = failCommit;
      const [failure] = await keepHouse(driver, EXPIRED);
      expect(failure).toMatchObject({ code: "CS_STORE_UNAVAILABLE" });
      expect(await idsOf(driver, TOKENS)).toEqual(["0"]);
    });
  });
});

interface EventRow {
  readonly id: string;
  readonly at: number;
  readonly merchant?: string;
  /** States of its deliveries, and when each was last attempted. */
  readonly deliveries: readonly (readonly [state: string, attemptedAt: number | null])[];
}
const done = (at: number) => [["delivered", at]] as const;

async function addEvents(driver: Driver, events: readonly EventRow[]): Promise<void> {
  await migrate(driver, { now: 0 });
  await driver.transaction(async (tx) => {
    await tx.query("INSERT INTO clocks (id, instant) VALUES ('frozen', 0)");
    for (const { id: event_id, at, merchant = "live", deliveries } of events) {
      const clock_id = merchant === "sandbox" ? "frozen" : "live";
      const owner = { merchant_id: merchant, clock_id };
      await insert(tx, "merchants", { id: merchant, clock_id });
      await insert(tx, "events", { id: event_id, ...owner, created_at: at });
      for (const [place, [state, last_started_at]] of deliveries.entries()) {
        const [key, id] = [`${merchant}${place}`, `${event_id}.${place}`];
        await insert(tx, "subscriptions", { key, ...owner });
        const next_at = state === "waiting" ? at : null;
        const last = { last_number: 2, last_started_at, last_duration_ms: 1 };
        const delivery = { id, event_id, subscription_key: key, ...owner, state, next_at };
        await insert(tx, "deliveries", { ...delivery, ...last, attempts: 2, created_at: at });
        await insert(tx, "earlier_attempts", { delivery_id: id, started_at: at });
      }
    }
  });
}
const GONE = "SELECT id FROM events WHERE id LIKE 'gone%'";

onStores([sqlite, inCi(postgres)], ({ open }) => {
  it("retention deletes old events whose deliveries are all finished, with deliveries and attempts, and nothing else", async () => {
    const driver = await open();
    const many = (count: number, id: string, deliveries: EventRow["deliveries"]): EventRow[] =>
      Array.from({ length: count }, (_, index) => ({ id: `${id}-${index}`, at: OLD, deliveries }));
    const kept: EventRow[] = [
      // More than one batch, before those that go.
      ...many(60, "kept-waiting", [["waiting", null]]),
      { id: "kept-young-without-deliveries", at: YOUNG, deliveries: [] },
      { id: "kept-young", at: YOUNG, deliveries: done(YOUNG) },
      { id: "kept-waiting", at: OLD, deliveries: [...done(OLD), ["waiting", OLD]] },
      { id: "kept-attempted-lately", at: OLD, deliveries: [...done(OLD), ["exhausted", YOUNG]] },
      { id: "kept-sandbox", at: OLD, merchant: "sandbox", deliveries: done(OLD) },
    ];
    const gone: EventRow[] = [
      { id: "gone", at: OLD, deliveries: [...done(OLD), ["exhausted", OLD]] },
      { id: "gone-dropped", at: OLD, deliveries: [["dropped", null]] },
      { id: "gone-without-deliveries", at: OLD, deliveries: [] },
      { id: "gone-other", at: OLD, merchant: "other", deliveries: done(OLD) },
      // More than one batch, behind those that stay.
      ...many(120, "gone", done(OLD)),
    ];
    await addEvents(driver, [...kept, ...gone]);
    const others = ["merchants", "subscriptions", "clocks"];
    const counts = (): Promise<unknown[]> =>
      Promise.all(others.map((table) => driver.query(`SELECT count(*) AS n FROM ${table}`)));
    const before = await counts();
    expect(await keepHouse(driver, GONE)).toEqual([]);
    expect(await counts()).toEqual(before);
    const events = await idsOf(driver, "SELECT id FROM events");
    expect(events).toEqual(kept.map(({ id }) => id).toSorted());
    const deliveries = kept.flatMap(({ id, deliveries: all }) => all.map((_, at) => `${id}.${at}`));
    expect(await idsOf(driver, "SELECT id FROM deliveries")).toEqual(deliveries.toSorted());
    const attempts = "SELECT DISTINCT delivery_id AS id FROM earlier_attempts";
    expect(await idsOf(driver, attempts)).toEqual(deliveries.toSorted());
  });
});

onStores([postgres], ({ create, open }) => {
  it("retention leaves an event whose delivery a call has locked, waits for no lock, and deletes it in the next round", async () => {
    const address = await create();
    const driver = await open(address);
    await addEvents(driver, [
      { id: "gone", at: OLD, deliveries: [...done(OLD), ["exhausted", OLD]] },
      { id: "gone-too", at: OLD, deliveries: done(OLD) },
    ]);
    const locked = "SELECT id FROM deliveries WHERE id = 'gone.1'";
    const letGo = await lockRows(await open(address), locked);
    const purging = keepHouse(driver, GONE);
    await expect.poll(() => idsOf(driver, "SELECT id FROM events")).toEqual(["gone"]);
    // All of it is still there.
    expect(await idsOf(driver, "SELECT id FROM deliveries")).toEqual(["gone.0", "gone.1"]);
    await letGo();
    expect(await purging).toEqual([]);
  });
});
