import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  postgresBinaries,
  redisBinary,
  startPostgres,
  startRedis,
} from "../../../receiver/test/inboxes/servers.ts";
import { table } from "./table.ts";
import { median as middle } from "../../../receiver/test/bench/wires.ts";
import type { BenchFigures, BenchJob } from "./delivery/job.ts";

// Ratios compare the kinds of one round, in which they take turns; the table shows their median. Each kind, the sink
// and a database have their own processes, so other work on two cores distorts the ratios: `chrt -r 50 pnpm bench
// delivery` keeps it off. One case only: `pnpm bench delivery -t P4`, `P5` or `later`. The CPU time of a delivery, of its sender and its database, hardly depends on
// other work.

type Kind = BenchJob["kind"];
type Servers = Pick<BenchJob, "sinkPort" | "postgresPort" | "redisPort">;

/** Deliveries of one measurement: it takes seconds, so the first, uncompiled rounds hardly count. */
const COUNT = 60_000;
const CASE = { timeout: 1_800_000 };
const STORES = ["sqlite", "postgres"] as const;
/** Queues that other senders are built on. */
const PEERS = ["pg-boss", "graphile-worker", "bullmq"] as const;
const flags = ["--disable-warning=ExperimentalWarning"];
const scriptOf = (name: string): string =>
  fileURLToPath(new URL(`delivery/${name}.ts`, import.meta.url));

let servers: Servers;
const stops: (() => void)[] = [];

beforeAll(async () => {
  const sink = spawn(process.execPath, [...flags, scriptOf("sink")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  stops.push(() => void sink.kill());
  const [postgres, redis] = [await startPostgres(), await startRedis()];
  stops.push(
    () => postgres.stop(),
    () => redis.stop(),
  );
  servers = {
    sinkPort: await portOf(sink),
    postgresPort: postgres.port,
    redisPort: redis.port,
  };
}, 120_000);
afterAll(() => {
  for (const stop of stops) stop();
});

async function portOf(child: ChildProcess): Promise<number> {
  if (child.stdout === null) throw new Error("the sink has no output");
  const [data] = (await once(child.stdout, "data")) as [Buffer];
  return Number(String(data));
}

function measure(kind: Kind, job: Partial<BenchJob> & { deliveries: number }): BenchFigures {
  const whole: BenchJob = {
    ...servers,
    kind,
    slowEvery: 0,
    later: 0,
    holdsSnapshot: false,
    ...job,
  };
  const script = STORES.some((store) => store === kind) ? "engine" : "peers";
  const args = [...flags, scriptOf(script), JSON.stringify(whole)];
  const printed = execFileSync(process.execPath, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(printed) as BenchFigures;
}

const times = <T>(count: number, round: () => T): T[] => Array.from({ length: count }, round);

/** The median of the rounds. */
const median = <T>(rounds: readonly T[], of: (round: T) => number): number =>
  middle(rounds.map(of));

/** Prints a ratio with its goal. @returns The ratio. */
function report(what: string, ratio: number, goal: number): number {
  const verdict = ratio >= goal ? "reached" : "missed";
  console.log(`${what}: ${ratio.toFixed(2)} (goal ${String(goal)}: ${verdict})`);
  return ratio;
}

describe.skipIf(postgresBinaries === undefined || redisBinary === undefined)(
  "deliveries, on loopback, signed, 256 at once",
  () => {
    test.each([false, true])(
      "P4: the durable rate against a list in memory and three queues (snapshot held: %s)",
      CASE,
      (holdsSnapshot) => {
        const kinds: readonly Kind[] = ["memory", ...STORES, ...PEERS];
        const job = { deliveries: COUNT, holdsSnapshot };
        const rounds = times(5, () =>
          Object.fromEntries(kinds.map((kind) => [kind, measure(kind, job)])),
        );
        const of = (kind: Kind, what: "rate" | "cpu" | "serverCpu"): number =>
          median(rounds, (round) => round[kind]?.[what] ?? 0);
        const ratio = (kind: Kind, to: Kind): number =>
          median(rounds, (round) => (round[kind]?.rate ?? 0) / (round[to]?.rate ?? 0));
        console.log(
          table(
            ["", "deliveries/s", "CPU of the sender", "of the database", "rate of the list's"],
            kinds.map((kind) => [
              kind,
              of(kind, "rate").toFixed(),
              `${of(kind, "cpu").toFixed()} µs`,
              `${of(kind, "serverCpu").toFixed()} µs`,
              ratio(kind, "memory").toFixed(2),
            ]),
          ),
        );
        const best = Math.min(...PEERS.map((peer) => ratio("postgres", peer)));
        // Minimum on a shared machine; the goal is printed.
        expect.soft(report("postgres of the best queue", best, 1)).toBeGreaterThan(0.5);
      },
    );

    test("P5: 2 % of the traffic goes to an endpoint that takes 2 s", CASE, () => {
      const slowed = { deliveries: COUNT, slowEvery: 50 };
      const rounds = times(3, () => ({
        stores: STORES.map((store) => ({
          quiet: measure(store, { deliveries: COUNT }).rate,
          slow: measure(store, slowed).rate,
        })),
      }));
      STORES.forEach((store, at) => {
        const slow = ({ stores }: (typeof rounds)[0]): number => stores[at]?.slow ?? 0;
        const kept = median(rounds, (round) => slow(round) / (round.stores[at]?.quiet ?? 1));
        expect.soft(report(`${store} keeps of its rate`, kept, 0.9)).toBeGreaterThanOrEqual(0.9);
      });
    });

    test("the durable rate while a million deliveries are due later", CASE, () => {
      STORES.forEach((store) => {
        const rateWith = (later: number): number =>
          measure(store, { deliveries: COUNT, later }).rate;
        const rounds = times(3, () => ({ few: rateWith(1000), many: rateWith(1_000_000) }));
        const kept = median(rounds, ({ few, many }) => many / few);
        expect
          .soft(report(`${store} keeps of the rate with a thousand`, kept, 0.9))
          .toBeGreaterThanOrEqual(0.9);
      });
    });
  },
);
