import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { postgresBinaries, startPostgres } from "../inboxes/servers.ts";
import { type Kind, wireOf } from "./kinds.ts";
import { load, median, takenBy } from "./wires.ts";

// Express 5, events of 1 KB with unique ids, 64 connections that stay open, each server in its own process, the load in
// this one. Servers take turns; a figure is the median of the rounds after the first ones, in which code is compiled.

const WARM_UP = 5;
const ROUNDS = 5;
/** What other users of a machine may cost. */
const NOISE = 1.25;

interface Server {
  readonly kind: Kind;
  readonly child: ChildProcess;
  readonly port: number;
  /** Processor time of one request in microseconds, by round. */
  readonly cpu: number[];
  /** Requests a second, by round. */
  readonly rates: number[];
}

async function start(kind: Kind, postgresPort: number): Promise<Server> {
  const script = fileURLToPath(new URL("server.ts", import.meta.url));
  const child = fork(script, [kind, String(postgresPort)], { execArgv: ["--no-warnings"] });
  const [port] = (await once(child, "message")) as [number];
  return { kind, child, port, cpu: [], rates: [] };
}

async function measure(server: Server, wires: readonly Buffer[]): Promise<void> {
  const before = await takenBy(server.child);
  const begun = performance.now();
  await load(server.port, wires);
  server.rates.push(wires.length / ((performance.now() - begun) / 1000));
  server.cpu.push(((await takenBy(server.child)) - before) / wires.length);
}

/** Measures servers in turns. @returns Their medians. */
async function measured(
  kinds: readonly Kind[],
  { requests, postgresPort = 0 }: { readonly requests: number; readonly postgresPort?: number },
) {
  const servers: Server[] = [];
  try {
    for (const kind of kinds) servers.push(await start(kind, postgresPort));
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1)
      for (const server of servers) {
        const id = (index: number): string => `evt_${String(round)}_${String(index)}`;
        await measure(
          server,
          Array.from({ length: requests }, (_, at) => wireOf(server.kind, id(at))),
        );
      }
  } finally {
    for (const { child } of servers) {
      child.disconnect();
      await once(child, "exit");
    }
  }
  return new Map(
    servers.map(({ kind, cpu, rates }) => {
      const [cost, rate] = [cpu, rates].map((all) => median(all.slice(WARM_UP)));
      return [kind, { cpu: cost ?? Number.NaN, rate: rate ?? Number.NaN }] as const;
    }),
  );
}

const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

test("the memory inbox and verifyEvent take about as much processor time as each vendor's library", async () => {
  // Our kind, the library that verifies the same requests, and the most that we may take of its time.
  const goals: readonly (readonly [Kind, Kind, number])[] = [
    ["receiver, github", "octokit", 1.25],
    ["receiver, stripe", "stripe", 1.25],
    ["receiver, standard-webhooks", "standardwebhooks", 1.25],
    ["verifyEvent", "standardwebhooks", 1],
  ];
  const kinds = new Set<Kind>(["Express", ...goals.flatMap(([ours, peer]) => [peer, ours])]);
  const all = await measured([...kinds], { requests: 5000 });
  const cpuOf = (kind: Kind): number => all.get(kind)?.cpu ?? Number.NaN;
  console.table(
    [...all].map(([kind, { cpu, rate }]) => {
      const [, peer, goal] = goals.find(([ours]) => ours === kind) ?? [];
      const ratio = peer && { [`× peer`]: round(cpu / cpuOf(peer)), peer, goal };
      return {
        kind,
        µs: round(cpu, 1),
        "a second": round(rate, 0),
        "× Express": round(cpu / cpuOf("Express")),
        ...ratio,
      };
    }),
  );
  const slow = goals.filter(([ours, peer, goal]) => !(cpuOf(ours) / cpuOf(peer) <= goal * NOISE));
  expect(slow).toEqual([]);
});

/** Prints rates, and expects ours to be `goal` times as high as that of the handler by hand, less the noise. */
async function compareRates(
  store: "SQLite" | "PostgreSQL",
  goal: number,
  options: Parameters<typeof measured>[1],
): Promise<void> {
  const all = await measured([`receiver, ${store}`, `hand-written, ${store}`], options);
  const [ours = Number.NaN, peer = Number.NaN] = [...all.values()].map(({ rate }) => rate);
  console.table(
    [...all].map(([kind, { cpu, rate }]) => ({
      kind,
      µs: round(cpu, 1),
      "a second": round(rate, 0),
    })),
  );
  console.log(`${store}: ${String(round(ours / peer))} times the rate, goal ${String(goal)}`);
  expect(ours / peer).toBeGreaterThan(goal / NOISE);
}

// The hand-written handler is that of a careful merchant: an INSERT before and an UPDATE after its work.
test("the SQLite inbox answers more events a second than an INSERT before and an UPDATE after the handler", async () => {
  await expect(compareRates("SQLite", 2.5, { requests: 1000 })).resolves.toBeUndefined();
});

const postgres = postgresBinaries === undefined ? undefined : await startPostgres();
afterAll(() => postgres?.stop());

test.skipIf(postgres === undefined)(
  "the PostgreSQL inbox answers as many events a second as an INSERT before and an UPDATE after the handler, on 16 connections",
  async () => {
    const options = { requests: 3000, postgresPort: postgres?.port ?? 0 };
    await expect(compareRates("PostgreSQL", 1, options)).resolves.toBeUndefined();
  },
);
