import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { postgresDriver } from "@countersign/service";
import { expect, it, onTestFinished } from "vitest";
import { clients, startPostgres } from "../../packages/receiver/test/inboxes/servers.ts";
import { noDisk, smallDisk } from "../../packages/service/test/store/small-disk.ts";
import { outsideDriver } from "../../packages/service/test/store/outside-driver.ts";
import { runRounds } from "../rounds.ts";
import { type ChaosStore, isInstalled } from "./chaos-store.ts";
import { disturbedServe, NO_SERVE_FAULT } from "./serve-campaign.ts";

const why = noDisk === undefined ? "" : ` (skipped: ${noDisk})`;
/** Of each kind of fault in turns: 20 of SQLite's two, 100 of PostgreSQL's five. */
const stores = [
  { store: "sqlite", goal: 40, prepare: faultySqlite },
  { store: "postgres", goal: 500, prepare: faultyPostgres },
];

it.skipIf(noDisk !== undefined).each(stores.filter(isInstalled))(
  `two processes of countersign serve forget and repeat nothing through $goal faults of $store: full disks, locks, crashes, pauses, lost and missing connections${why}`,
  { timeout: 2 * 3_600_000 },
  async ({ store, goal, prepare }) => {
    const { open, faults } = await prepare();
    const result = await runRounds({
      campaign: `faults-${store}`,
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

/** Length of each fault, in milliseconds. */
const FAULT_MS = 1500;

const fullDisk = (disk: ReturnType<typeof smallDisk>) => async (): Promise<void> => {
  disk.fill();
  await setTimeout(FAULT_MS);
  disk.free();
};

/** SQLite: its disk is full, or another process has the write lock. */
async function faultySqlite() {
  const disk = smallDisk(200);
  let made = 0;
  let database = "";
  const open = async (): Promise<ChaosStore> => {
    database = join(disk.folder, `service-${String((made += 1))}.db`);
    return { database, driver: outsideDriver(database) };
  };
  const locked = async (): Promise<void> => {
    const other = new DatabaseSync(database, { timeout: 20_000 });
    other.exec("BEGIN IMMEDIATE");
    await setTimeout(FAULT_MS);
    other.exec("COMMIT");
    other.close();
  };
  return { open, faults: { fullDisk: fullDisk(disk), locked } };
}

/** PostgreSQL: crashes, pauses, ended connections, connections that others have taken, and a full disk. */
async function faultyPostgres() {
  const server = await startPostgres({ settings: ["max_connections=50"] });
  onTestFinished(() => server.stop());
  const urlOf = (name: string): string =>
    `postgres://postgres@127.0.0.1:${String(server.port)}/${name}`;
  const connect = () => clients.postgres(server.port, "postgres");
  const admin = await connect();
  onTestFinished(() => admin.end());
  const disk = smallDisk(200);
  const space = join(disk.folder, "space");
  mkdirSync(space);
  chmodSync(disk.folder, 0o755);
  execFileSync("chown", ["postgres", space]);
  await admin.query(`CREATE TABLESPACE small LOCATION '${space}'`);
  let made = 0;
  const open = async (): Promise<ChaosStore> => {
    // The disk has no room for the databases of many rounds.
    await admin.query(`DROP DATABASE IF EXISTS round_${String(made)} WITH (FORCE)`);
    const name = `round_${String((made += 1))}`;
    await admin.query(`CREATE DATABASE ${name} TABLESPACE small`);
    return { database: urlOf(name), driver: postgresDriver({ url: urlOf(name) }) };
  };
  const endConnections = (): Promise<unknown> =>
    admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'countersign%'",
    );
  const paused = async (): Promise<void> => {
    const [main = ""] = readFileSync(join(server.folder, "data/postmaster.pid"), "utf8").split(
      "\n",
    );
    const children = execFileSync("ps", ["-o", "pid=", "--ppid", main], { encoding: "utf8" });
    const pids = [main, ...children.trim().split(/\s+/)].map(Number);
    const signal = (name: "SIGSTOP" | "SIGCONT") => {
      for (const pid of pids) {
        try {
          process.kill(pid, name);
        } catch {
          // A backend that has ended meanwhile.
        }
      }
    };
    signal("SIGSTOP");
    await setTimeout(FAULT_MS);
    signal("SIGCONT");
  };
  const terminated = async (): Promise<void> => {
    for (let time = 0; time < FAULT_MS; time += 100) {
      await endConnections();
      await setTimeout(100);
    }
  };
  const exhausted = async (): Promise<void> => {
    const pools = await Promise.all([connect(), connect(), connect()]);
    const taken: Promise<{ release: (destroys: boolean) => void }>[] = [];
    for (let time = 0; time < FAULT_MS; time += 100) {
      await endConnections();
      for (const pool of [...pools, ...pools]) {
        if (pool.totalCount >= 17) continue;
        const one = pool.connect();
        // The server has none left: it is looked at below.
        one.catch(() => {});
        taken.push(one);
      }
      await setTimeout(100);
    }
    for (const one of await Promise.allSettled(taken))
      if (one.status === "fulfilled") one.value.release(true);
    await Promise.all(pools.map((pool) => pool.end()));
  };
  const faults = {
    crashed: () => server.crash(),
    paused,
    terminated,
    exhausted,
    fullDisk: fullDisk(disk),
  };
  return { open, faults };
}
