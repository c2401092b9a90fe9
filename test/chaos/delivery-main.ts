import { randomInt } from "node:crypto";
import process from "node:process";
import { parseArgs } from "node:util";
import runFolder from "../run-folder.ts";
import { deliveryCampaign, type DeliveryTally } from "./delivery-campaign.ts";
import { postgresStore, sqliteStore, type ChaosStore } from "./delivery-store.ts";

const USAGE = `usage: pnpm chaos:delivery [--store postgres|sqlite] [--cycles N] [--processes N] [--seed N] [--crash]

Kills delivering processes of one database and tells what was lost and doubled.

  --store      default postgres, which has to be installed
  --cycles     kills; default 500
  --processes  at one time; default 2
  --seed       of an earlier campaign; a new one is printed
  --crash      PostgreSQL crashes too, once in each cycle

Ctrl-C begins no further cycle: what was done by then is told.
Exit codes: 0 nothing was lost, doubled, garbled or told otherwise; 1 something was; 2 there was no campaign.`;

/** Milliseconds between two lines of progress. */
const TELL_MS = 10_000;

interface Order {
  readonly store: "postgres" | "sqlite";
  readonly cycles: number;
  readonly processes: number;
  readonly seed: number;
  readonly crash: boolean;
}

/** @returns Nothing where help was asked for. @throws {TypeError} An option is unknown or out of bounds. */
function orderOf(args: readonly string[]): Order | undefined {
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
  if (values.help) return undefined;
  if (store !== "postgres" && store !== "sqlite") {
    throw new TypeError("--store must be postgres or sqlite");
  }
  if (crash && store === "sqlite") throw new TypeError("--crash is for postgres");
  const number = (name: "cycles" | "processes" | "seed"): number => {
    if (/^[1-9]\d{0,8}$|^1\d{9}$|^2[01]\d{8}$/.test(values[name])) return Number(values[name]);
    throw new TypeError(`--${name} must be a whole number from 1 to 2199999999`);
  };
  return {
    store,
    crash,
    cycles: number("cycles"),
    processes: number("processes"),
    seed: number("seed"),
  };
}

/** A campaign in a database of its own, with how long a cycle took. */
async function carryOut(
  order: Order,
): Promise<DeliveryTally & { readonly secondsPerCycle: number }> {
  const enough = new AbortController();
  process.once("SIGINT", () => enough.abort());
  const atEnd: (() => unknown)[] = [runFolder()];
  const keep = (cleanUp: () => unknown): void => void atEnd.unshift(cleanUp);
  const begun = Date.now();
  let cycles = 0;
  const progress = setInterval(() => console.error(`${String(cycles)} kills`), TELL_MS);
  try {
    const store: ChaosStore & { readonly crash?: () => Promise<void> } =
      order.store === "postgres" ? await postgresStore(keep) : sqliteStore(keep);
    const tally = await deliveryCampaign({
      ...order,
      ...store,
      enough: enough.signal,
      ...(order.crash && store.crash && { disturb: store.crash }),
      onKilled: () => (cycles += 1),
    });
    return { ...tally, secondsPerCycle: (Date.now() - begun) / 1000 / tally.killed };
  } finally {
    clearInterval(progress);
    for (const end of atEnd) await end();
  }
}

try {
  const order = orderOf(process.argv.slice(2));
  if (order === undefined) {
    console.log(USAGE);
  } else {
    console.error(`seed ${String(order.seed)}`);
    const tally = await carryOut(order);
    console.log(JSON.stringify({ ...order, ...tally }, undefined, 2));
    const { lost, waiting, mistold, doubled, garbled } = tally;
    const faults = [lost, waiting, mistold, doubled, garbled].flat();
    process.exitCode = faults.length === 0 ? 0 : 1;
  }
} catch (error) {
  console.error(error instanceof TypeError ? error.message : error);
  process.exitCode = 2;
}
