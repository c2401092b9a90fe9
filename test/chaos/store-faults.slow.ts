import { describe, expect, it } from "vitest";
import { noDisk } from "../../packages/service/test/store/small-disk.ts";
import { runRounds, SERVICE } from "../evidence.ts";
import { seed } from "../seed.ts";
import { disturbedServe, NO_SERVE_FAULT } from "./serve-campaign.ts";
import { isPostgresMissing } from "./delivery-store.ts";
import { faultyPostgres, faultySqlite } from "./store-faults.ts";

const why = noDisk === undefined ? "" : ` (skipped: ${noDisk})`;
/** Of each kind of fault in turns: 20 of SQLite's two, 100 of PostgreSQL's five. */
const stores = [
  { store: "sqlite", goal: 40, prepare: faultySqlite },
  { store: "postgres", goal: 500, prepare: faultyPostgres },
];

describe(`two processes of countersign serve${why}`, () => {
  it.skipIf(noDisk !== undefined).each(stores)(
    "forget and repeat nothing through $goal faults of $store: full disks, locks, crashes, pauses, lost and missing connections",
    { timeout: 2 * 3_600_000 },
    async ({ store, goal, prepare }) => {
      if (store === "postgres" && isPostgresMissing) return;
      const { open, faults } = await prepare();
      const { result } = await runRounds({
        campaign: `faults-${store}`,
        file: "test/chaos/store-faults.slow.ts",
        measures: SERVICE,
        seed,
        goal,
        unit: "faults of the store",
        round: async () => {
          const opened = await open();
          const tally = await disturbedServe(opened, Object.values(faults));
          await opened.driver.close();
          const names = Object.keys(faults);
          const faultsMade = Object.fromEntries(names.map((name) => [name, 1]));
          return { done: names.length, result: { ...tally, faultsMade } };
        },
      });
      expect(result).toMatchObject(NO_SERVE_FAULT);
    },
  );
});
