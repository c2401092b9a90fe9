// The load, in a separate process: `node load.ts TABLE [PORT OF POSTGRESQL]`. It writes HTTP by hand: a client
// that takes more CPU time than the servers would measure itself. Prints figures as JSON.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { type Kind, type Table, TABLES, wireOf } from "./kinds.ts";

const CONNECTIONS = 64;
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

/** Microseconds of CPU time that a server has taken. */
async function takenBy({ child }: Server): Promise<number> {
  const answer = once(child, "message");
  child.send("cpu");
  const [{ user, system }] = (await answer) as [NodeJS.CpuUsage];
  return user + system;
}

/** Sends all requests over connections that stay open. @throws {Error} one is not answered 2xx. */
async function load(port: number, wires: readonly Buffer[]): Promise<void> {
  let next = 0;
  const client = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      const send = (): void => {
        const wire = wires[next];
        next += 1;
        if (wire !== undefined) return void socket.write(wire);
        socket.destroy();
        resolve();
      };
      socket.once("connect", send);
      socket.once("error", reject);
      // The answers are short: each arrives in one piece.
      socket.on("data", (data) => {
        const status = data.subarray(9, 12).toString();
        if (status.startsWith("2")) return send();
        reject(new Error(`answered ${status}`));
        socket.destroy();
      });
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
}

async function measure(server: Server, round: number): Promise<{ cpu: number; rate: number }> {
  const count = REQUESTS[table];
  const wires = Array.from({ length: count }, (_, index) =>
    wireOf(server.kind, `evt_${String(round)}_${String(index)}`),
  );
  const before = await takenBy(server);
  const begun = performance.now();
  await load(server.port, wires);
  const seconds = (performance.now() - begun) / 1000;
  return { cpu: ((await takenBy(server)) - before) / count, rate: count / seconds };
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
