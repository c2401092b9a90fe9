import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { type Kind, KINDS, wireOf } from "./kinds.ts";

// The load, in a process of its own. It speaks HTTP by hand: a client that takes more of the
// processor than the servers would measure itself.

const CONNECTIONS = 64;
const REQUESTS = 6000;
const ROUNDS = 6;
// The first of them compile.
const WARM_UP = 2;

interface Server {
  readonly kind: Kind;
  readonly child: ChildProcess;
  readonly port: number;
}

async function start(kind: Kind): Promise<Server> {
  const child = fork(fileURLToPath(new URL("express-server.ts", import.meta.url)), [kind], {
    execArgv: ["--conditions=@countersign/source", "--disable-warning=ExperimentalWarning"],
  });
  const [port] = (await once(child, "message")) as [number];
  return { kind, child, port };
}

interface Sample {
  readonly user: number;
  readonly system: number;
  readonly rate: number;
}

/** Microseconds of the processor that the server has taken: its own, and the system's for it. */
async function takenBy({ child }: Server): Promise<NodeJS.CpuUsage> {
  const told = once(child, "message");
  child.send("cpu");
  const [usage] = (await told) as [NodeJS.CpuUsage];
  return usage;
}

/** Sends all requests over connections that stay open; rejects where one is not answered 2xx. */
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
      // The answers are short: each comes in one piece.
      socket.on("data", (data) => {
        const status = data.subarray(9, 12).toString();
        if (status.startsWith("2")) return send();
        reject(new Error(`answered ${status}`));
        socket.destroy();
      });
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
}

const servers: Server[] = [];
try {
  // oxlint-disable-next-line no-await-in-loop -- six at once would wait for the processor
  for (const kind of KINDS) servers.push(await start(kind));
  const samples = new Map<Kind, Sample[]>();
  for (let round = 0; round < ROUNDS; round += 1)
    for (const server of servers) {
      const wires = Array.from({ length: REQUESTS }, (_, index) =>
        wireOf(server.kind, `evt_${String(round)}_${String(index)}`),
      );
      // oxlint-disable no-await-in-loop -- in turns, so that each meets the same machine
      const before = await takenBy(server);
      const begun = performance.now();
      await load(server.port, wires);
      const seconds = (performance.now() - begun) / 1000;
      const after = await takenBy(server);
      // oxlint-enable no-await-in-loop
      if (round >= WARM_UP)
        samples.set(server.kind, [
          ...(samples.get(server.kind) ?? []),
          {
            user: (after.user - before.user) / REQUESTS,
            system: (after.system - before.system) / REQUESTS,
            rate: REQUESTS / seconds,
          },
        ]);
    }
  const figures = KINDS.map((kind) => {
    const all = samples.get(kind) ?? [];
    return {
      kind,
      user: Math.min(...all.map(({ user }) => user)),
      system: Math.min(...all.map(({ system }) => system)),
      rate: Math.max(...all.map(({ rate }) => rate)),
    };
  });
  console.log(JSON.stringify(figures));
} finally {
  for (const { child } of servers) child.kill("SIGKILL");
}
