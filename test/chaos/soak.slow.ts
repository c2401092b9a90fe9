import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { profiles } from "@countersign/schemas/profiles";
import { expect, it } from "vitest";
import { runRounds } from "../rounds.ts";
import { nothingWaits, refundVerdict } from "./serve-campaign.ts";
import { type ChaosStore, isInstalled, storesOf } from "./chaos-store.ts";
import { NO_FAULT } from "./serve-verdict.ts";
import { metricsOf, openServed } from "./serve-processes.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const [MINUTES, ROUND, PEAK_MS, SAMPLE_MS, TICK_MS] = [60, 5, 20_000, 10_000, 100];
/** The most that a profile allows: one caller makes the calls of many. */
const UNLIMITED = { refundsPerSecond: 10_000, tokensPerMinute: 10_000, othersPerSecond: 10_000 };
/** The refunded payment has 1,000,000 cents, one for each refund. */
const MOST_PER_SECOND = 250;

/** Bytes of the write-ahead log and of all tables. */
async function sizesOf({ database, driver }: ChaosStore): Promise<readonly [number, number]> {
  if (!database.startsWith("postgres:"))
    return [statSync(`${database}-wal`).size, statSync(database).size];
  const [row] = await driver.query<{ wal: string; tables: string }>(
    `SELECT (SELECT sum(size) FROM pg_ls_waldir())::text AS wal,
       pg_database_size(current_database())::text AS tables`,
  );
  return [Number(row?.wal), Number(row?.tables)];
}

const stores = [{ store: "sqlite" }, { store: "postgres" }] as const;

it.each(stores.filter(isInstalled))(
  "countersign serve keeps its memory, descriptors and WAL on $store through an hour at half of its peak",
  { timeout: 3 * 3_600_000 },
  async ({ store }) => {
    const open = await storesOf(store);
    const opened = await open();
    const { driver } = opened;
    const served = await openServed(opened);
    const { arrived, askOver } = served;
    const unlimited = { ...profiles.standard, name: "unlimited", rateLimit: UNLIMITED };
    const profile = join(temporaryFolder(), "profile.json");
    writeFileSync(profile, JSON.stringify(unlimited));
    const process = served.serve({}, ["--profile", profile]);
    const url = await process.ready();
    let asked = 0;
    const ask = async (): Promise<void> => {
      const answer = await askOver(url, `soak-${String((asked += 1))}`);
      await answer.arrayBuffer();
      if (answer.status !== 201) throw new Error(`a refund was answered ${String(answer.status)}`);
    };

    // The peak: as many as are answered and delivered, with eight callers at once.
    const begun = performance.now();
    const caller = async (): Promise<void> => {
      while (performance.now() - begun < PEAK_MS) await ask();
    };
    await Promise.all(Array.from({ length: 8 }, caller));
    await nothingWaits(driver);
    const peak = (asked * 1000) / (performance.now() - begun);
    const rate = Math.min(peak / 2, MOST_PER_SECOND);
    console.log(`peak ${peak.toFixed(0)} events a second, soak at ${rate.toFixed(0)}`);

    const started = performance.now();
    const sample = async (): Promise<string> => {
      const metrics = await metricsOf(url);
      const metric = (name: string): number =>
        Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics)?.[1]);
      const [wal, tables] = await sizesOf(opened);
      return JSON.stringify({
        minute: Number(((performance.now() - started) / 60_000).toFixed(2)),
        rssMiB: Math.round(metric("process_resident_memory_bytes") / 2 ** 20),
        heapMiB: Math.round(metric("nodejs_heap_size_used_bytes") / 2 ** 20),
        descriptors: metric("process_open_fds"),
        walMiB: Math.round(wal / 2 ** 20),
        tablesMiB: Math.round(tables / 2 ** 20),
      });
    };
    const soak = async () => {
      const samples: string[] = [];
      const [from, before, first] = [performance.now(), arrived.size, asked];
      const forMs = ROUND * 60_000;
      let owed = 0;
      for (let at = 0; at < forMs; at = performance.now() - from) {
        if (at >= samples.length * SAMPLE_MS) samples.push(await sample());
        owed += (rate * TICK_MS) / 1000;
        const calls = Array.from({ length: Math.floor(owed) }, ask);
        owed -= calls.length;
        await Promise.all(calls);
        await setTimeout(Math.max(0, TICK_MS - (performance.now() - from - at)));
      }
      await nothingWaits(driver);
      const { verdict } = await refundVerdict(driver, arrived);
      const delivered = arrived.size - before;
      return { done: ROUND, result: { ...verdict, asked: asked - first, delivered, samples } };
    };

    const result = await runRounds({
      campaign: `soak-${store}`,
      goal: MINUTES,
      unit: "minutes at half of the peak",
      round: soak,
    });
    await process.end();
    await driver.close();
    expect(result).toMatchObject(NO_FAULT);
    // The casts: `sample` has written them.
    const rss = result.samples.map((one) => (JSON.parse(one) as { rssMiB: number }).rssMiB);
    const mean = (from: number, to: number): number => {
      const part = rss.slice(rss.length * from, rss.length * to);
      return part.reduce((sum, one) => sum + one, 0) / part.length;
    };
    expect(mean(0.75, 1)).toBeLessThan(1.25 * mean(0.25, 0.5));
  },
);
