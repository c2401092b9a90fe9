import { expect, it } from "vitest";
import { Housekeeping } from "../src/housekeeping.ts";
import type { Driver } from "../src/store/driver.ts";
import { migrate } from "../src/store/migrate.ts";
import { ManualClock } from "./manual-clock.ts";
import { insert } from "./store/rows.ts";
import { onStores, postgres, sqlite } from "./store/stores.ts";

const DAY_MS = 86_400_000;
const NOW = 1000 * DAY_MS;
const OLD = NOW - 91 * DAY_MS;
const YOUNG = NOW - 89 * DAY_MS;

interface EventRow {
  readonly id: string;
  readonly at: number;
  readonly merchant?: string;
  /** States of its deliveries, and when each was last attempted. */
  readonly deliveries: readonly (readonly [state: string, attemptedAt: number | null])[];
}

async function fill(driver: Driver, events: readonly EventRow[]): Promise<void> {
  await migrate(driver, { now: 0 });
  await driver.transaction(async (tx) => {
    await tx.query("INSERT INTO clocks (id, instant) VALUES ('frozen', 0)");
    for (const [id, clock_id] of [
      ["live", "live"],
      ["other", "live"],
      ["sandbox", "frozen"],
    ] as const) {
      await insert(tx, "merchants", { id, clock_id });
      for (const place of [0, 1])
        await insert(tx, "subscriptions", { key: `${id}${place}`, merchant_id: id, clock_id });
    }
    for (const { id: event_id, at, merchant: merchant_id = "live", deliveries } of events) {
      const owner = { merchant_id, clock_id: merchant_id === "sandbox" ? "frozen" : "live" };
      await insert(tx, "events", { id: event_id, ...owner, created_at: at });
      for (const [place, [state, attemptedAt]] of deliveries.entries()) {
        const id = `${event_id}.${place}`;
        await insert(tx, "deliveries", {
          id,
          event_id,
          subscription_key: `${merchant_id}${place}`,
          ...owner,
          state,
          attempts: 2,
          next_at: state === "waiting" ? at : null,
          created_at: at,
          last_number: 2,
          last_started_at: attemptedAt,
          last_duration_ms: 1,
        });
        await insert(tx, "earlier_attempts", { delivery_id: id, started_at: at });
      }
    }
  });
}

const done = (at: number) => [["delivered", at]] as const;

async function purge(driver: Driver, retentionMs = 90 * DAY_MS): Promise<unknown[]> {
  const failures: unknown[] = [];
  const failed = (error: unknown): number => failures.push(error);
  let wasIdle = false;
  const clock = new ManualClock(NOW);
  const keeper = new Housekeeping({ driver, clock, retentionMs, failed, everyMs: 5 });
  keeper.start();
  const left = async (): Promise<boolean> => {
    const before = wasIdle;
    const rows = await driver.query("SELECT id FROM events WHERE id LIKE 'gone%'");
    wasIdle = rows.length === 0;
    return before && wasIdle;
  };
  await expect.poll(left, { timeout: 20_000 }).toBe(true);
  await keeper.stop();
  return failures;
}

const idsOf = async (driver: Driver, sql: string): Promise<string[]> => {
  const rows = await driver.query<{ id: string }>(sql);
  return rows.map(({ id }) => id).toSorted();
};

onStores([sqlite, postgres], ({ open }) => {
  it("retention deletes old events whose deliveries are all finished, with deliveries and attempts, and nothing else", async () => {
    const driver = await open();
    const kept: EventRow[] = [
      // More than one batch, before those that go.
      ...Array.from({ length: 60 }, (_, index): EventRow => ({
        id: `kept-waiting-${index}`,
        at: OLD,
        deliveries: [["waiting", null]],
      })),
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
      ...Array.from({ length: 120 }, (_, index) => ({
        id: `gone-${index}`,
        at: OLD,
        deliveries: done(OLD),
      })),
    ];
    await fill(driver, [...kept, ...gone]);
    await driver.transaction((tx) =>
      tx.query(
        `INSERT INTO audit_log (what, subject, merchant_id, asked_by, state, attempts, at)
         VALUES ('delivery.replay', 'gone.0', 'live', 'operator', 'exhausted', 1, 0)`,
      ),
    );
    const others = ["merchants", "subscriptions", "audit_log", "clocks"];
    const counts = (): Promise<unknown[]> =>
      Promise.all(others.map((table) => driver.query(`SELECT count(*) AS n FROM ${table}`)));
    const before = await counts();
    expect(await purge(driver)).toEqual([]);
    expect(await counts()).toEqual(before);
    expect(await idsOf(driver, "SELECT id FROM events")).toEqual(
      kept.map(({ id }) => id).toSorted(),
    );
    const deliveries = kept.flatMap(({ id, deliveries: all }) => all.map((_, at) => `${id}.${at}`));
    expect(await idsOf(driver, "SELECT id FROM deliveries")).toEqual(deliveries.toSorted());
    const attempts = "SELECT DISTINCT delivery_id AS id FROM earlier_attempts";
    expect(await idsOf(driver, attempts)).toEqual(deliveries.toSorted());
  });
});

onStores([postgres], ({ create, open }) => {
  it("retention leaves an event whose delivery a call has locked, waits for no lock, and deletes it in the next round", async () => {
    const address = await create();
    const [driver, other] = [await open(address), await open(address)];
    await fill(driver, [
      { id: "gone", at: OLD, deliveries: [...done(OLD), ["exhausted", OLD]] },
      { id: "gone-too", at: OLD, deliveries: done(OLD) },
    ]);
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
    const call = other.transaction(async (tx) => {
      await tx.query("SELECT id FROM deliveries WHERE id = 'gone.1' FOR UPDATE");
      isLocked();
      await held;
    });
    await locked;
    const purging = purge(driver);
    await expect
      .poll(() => idsOf(driver, "SELECT id FROM events"), { timeout: 20_000 })
      .toEqual(["gone"]);
    // All of it is still there.
    expect(await idsOf(driver, "SELECT id FROM deliveries")).toEqual(["gone.0", "gone.1"]);
    letGo();
    await call;
    expect(await purging).toEqual([]);
  });
});
