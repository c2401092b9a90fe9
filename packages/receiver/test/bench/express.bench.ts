import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { postgresBinaries, startPostgres } from "../inboxes/servers.ts";
import { type Kind, wireOf } from "./kinds.ts";
import { load, median, takenBy } from "./wires.ts";

// Express 5, events of 1 KB with unique ids, 64 connections that stay open, each server in its own process. A ratio is
// the median of rounds in which all kinds take turns. The floor of a test is below its goal by what other users of a
// machine cost.

const NOISE = 0.75;
const ROUNDS = 9;
// Rounds in which the servers' code is compiled.
const WARM_UP = 2;

interface Server {
  readonly kind: Kind;
  readonly child: ChildProcess;
  readonly port: number;
  /** CPU time for one request in microseconds, by round. */
  readonly cpu: number[];
  /** Requests in a second, by round. */
  readonly rates: number[];
}

async function start(kind: Kind, postgresPort: number): Promise<Server> {
  const script = fileURLToPath(new URL("server.ts", import.meta.url));
  const execArgv = ["--no-warnings"];
  const child = fork(script, [kind, String(postgresPort)], { execArgv });
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

/** Prints a table and returns the peers to which our ratio is below its goal, less the noise. */
async function compare(
  ours: Kind,
  goals: Readonly<Partial<Record<Kind, number>>>,
  { requests, postgresPort = 0 }: { readonly requests: number; readonly postgresPort?: number },
): Promise<Kind[]> {
  const kinds = [ours, ...(Object.keys(goals) as Kind[])];
  const servers: Server[] = [];
  try {
    for (const kind of kinds) servers.push(await start(kind, postgresPort));
    for (let round = 0; round < ROUNDS; round += 1)
      for (const server of servers)
        await measure(
          server,
          Array.from({ length: requests }, (_, index) =>
            wireOf(server.kind, `evt_${String(round)}_${String(index)}`),
          ),
        );
  } finally {
    for (const { child } of servers) child.kill("SIGKILL");
  }
  const [first = []] = servers.map(({ rates }) => rates);
  const rows = servers.map(({ kind, cpu, rates }) => {
    const ratios = first.map((rate, round) => rate / (rates[round] ?? Number.NaN));
    const [ratio, rate] = [ratios, rates].map((all) => median(all.slice(WARM_UP)));
    return { kind, cpu: Math.min(...cpu.slice(WARM_UP)), rate, ratio, goal: goals[kind] ?? 0 };
  });
  console.table(rows);
  return rows.filter(({ ratio = 0, goal }) => !(ratio >= goal * NOISE)).map(({ kind }) => kind);
}

test("the memory inbox is compared with a hand-written handler and three libraries", async () => {
  const goals = { "hand-written": 0.95, octokit: 1.3, standardwebhooks: 1.3, stripe: 1.3 };
  expect(await compare("countersign", goals, { requests: 5000 })).toEqual([]);
});

test("the SQLite inbox is compared with an INSERT before and an UPDATE after the handler", async () => {
  const goals = { "hand-written, SQLite": 2.5 };
  expect(await compare("countersign, SQLite", goals, { requests: 1000 })).toEqual([]);
});

const postgres = postgresBinaries === undefined ? undefined : await startPostgres();
afterAll(() => postgres?.stop());

test.skipIf(postgres === undefined)(
  "the PostgreSQL inbox is compared with an INSERT before and an UPDATE after, on 16 connections",
  async () => {
    const options = { requests: 3000, postgresPort: postgres?.port ?? 0 };
    const goals = { "hand-written, PostgreSQL": 1 };
    expect(await compare("countersign, PostgreSQL", goals, options)).toEqual([]);
  },
);
