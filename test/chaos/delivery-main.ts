import { randomInt } from "node:crypto";
import process from "node:process";
import { parseArgs } from "node:util";
import runFolder from "../run-folder.ts";
import { deliveryCampaign } from "./delivery-campaign.ts";
import { postgresStore, sqliteStore, type ChaosStore } from "./delivery-store.ts";

const USAGE = `usage: pnpm chaos:delivery [options]

Kills processes that deliver from one database, and counts lost and doubled events.

  --store STORE   postgres or sqlite (default postgres, which must be installed)
  --cycles N      number of kills (default 500)
  --processes N   processes at one time (default 2)
  --seed N        seed of the kills (default: a random one, printed)
  --crash         crash PostgreSQL too, once in each cycle
  --help          print this help

Ctrl-C starts no further cycle and prints the counts so far.
Exit codes: 0 no fault, 1 events lost, waiting, doubled, garbled or misreported, 2 no campaign.`;

const PROGRESS_MS = 10_000;

/** Parses the arguments. @throws {TypeError} An option is unknown or out of bounds. */
function parseOrder(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      store: { type: "string", default: "postgres" },
      cycles: { type: "string", default: "500" },
      processes: { type: "string", default: "2" },
      seed: { type: "string", default: String(randomInt(1, 2 ** 31)) },
      crash: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const { store, crash } = values;
  if (store !== "postgres" && store !== "sqlite")
    throw new TypeError(`unknown --store "${store}"; expected postgres or sqlite`);
  if (crash && store === "sqlite") throw new TypeError("--crash needs --store postgres");
  const number = (name: "cycles" | "processes" | "seed"): number => {
    const value = values[name];
    if (/^[1-9]\d{0,9}$/.test(value) && Number(value) < 2 ** 31) return Number(value);
    throw new TypeError(`invalid --${name} "${value}": expected an integer from 1 to 2147483647`);
  };
  const numbers = {
    cycles: number("cycles"),
    processes: number("processes"),
    seed: number("seed"),
  };
  return { store, crash, ...numbers, help: values.help };
}

/** Runs the campaign in a new database and prints its counts. Returns true if it found no fault. */
async function carryOut(order: ReturnType<typeof parseOrder>): Promise<boolean> {
  const enough = new AbortController();
  process.once("SIGINT", () => enough.abort());
  const atEnd: (() => unknown)[] = [runFolder()];
  const keep = (cleanUp: () => unknown): void => void atEnd.unshift(cleanUp);
  const begun = Date.now();
  let kills = 0;
  const progress = setInterval(() => console.error(`${String(kills)} kills`), PROGRESS_MS);
  try {
    const store: ChaosStore & { readonly crash?: () => Promise<void> } =
      order.store === "postgres" ? await postgresStore(keep) : sqliteStore(keep);
    const tally = await deliveryCampaign({
      ...order,
      ...store,
      enough: enough.signal,
      ...(order.crash && store.crash && { disturb: store.crash }),
      onKilled: () => (kills += 1),
    });
    const secondsPerCycle = (Date.now() - begun) / 1000 / tally.killed;
    console.log(JSON.stringify({ ...order, ...tally, secondsPerCycle }, undefined, 2));
    const { lost, waiting, mistold, doubled, garbled } = tally;
    return [lost, waiting, mistold, doubled, garbled].flat().length === 0;
  } finally {
    clearInterval(progress);
    for (const end of atEnd) await end();
  }
}

try {
  const order = parseOrder(process.argv.slice(2));
  if (order.help) console.log(USAGE);
  else {
    console.error(`seed ${String(order.seed)}`);
    process.exitCode = (await carryOut(order)) ? 0 : 1;
  }
} catch (error) {
  console.error(error instanceof TypeError ? error.message : error);
  process.exitCode = 2;
}
