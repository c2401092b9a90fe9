// The load, in a separate process: `node load.ts TABLE [PORT OF POSTGRESQL]`. Prints figures as JSON.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { load, takenBy } from "./wires.ts";
import { type Kind, type Table, TABLES, wireOf } from "./kinds.ts";

const REQUESTS = { memory: 5000, sqlite: 1000, postgres: 3000 };
const ROUNDS = 9;
// Rounds in which the servers' code is compiled.
const WARM_UP = 2;

const table = process.argv[2] as Table;

interface Server {
  readonly kind: Kind;
  readonly child: ChildProcess;
  readonly port: number;
}

export interface Figures {
  readonly kind: Kind;
  /** CPU time of the server for one request in microseconds: the least of the rounds. */
  readonly cpu: number;
  /** Requests in a second, by round. Kinds take turns, so that a round compares them. */
  readonly rates: readonly number[];
}

async function start(kind: Kind): Promise<Server> {
  const child = fork(
    fileURLToPath(new URL("server.ts", import.meta.url)),
    [kind, ...process.argv.slice(3)],
    { execArgv: ["--conditions=@countersign/source", "--no-warnings"] },
  );
  const [port] = (await once(child, "message")) as [number];
  return { kind, child, port };
}

async function measure(server: Server, round: number): Promise<{ cpu: number; rate: number }> {
  const count = REQUESTS[table];
  const wires = Array.from({ length: count }, (_, index) =>
    wireOf(server.kind, `evt_${String(round)}_${String(index)}`),
  );
  const before = await takenBy(server.child);
  const begun = performance.now();
  await load(server.port, wires);
  const seconds = (performance.now() - begun) / 1000;
  return { cpu: ((await takenBy(server.child)) - before) / count, rate: count / seconds };
}

const servers: Server[] = [];
try {
  // oxlint-disable no-await-in-loop -- in turns, so that each has the machine to itself
  for (const kind of TABLES[table]) servers.push(await start(kind));
  const samples = new Map<Kind, { cpu: number; rate: number }[]>();
  for (let round = 0; round < ROUNDS; round += 1)
    for (const server of servers) {
      const sample = await measure(server, round);
      if (round >= WARM_UP) samples.set(server.kind, [...(samples.get(server.kind) ?? []), sample]);
    }
  const figures = [...samples].map(([kind, list]): Figures => ({
    kind,
    cpu: Math.min(...list.map(({ cpu }) => cpu)),
    rates: list.map(({ rate }) => rate),
  }));
  console.log(JSON.stringify(figures));
} finally {
  for (const { child } of servers) child.kill("SIGKILL");
}
