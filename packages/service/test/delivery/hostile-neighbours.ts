import { spawn } from "node:child_process";
import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { request } from "undici";
import { undiciTransport } from "../../src/delivery/egress/transport.ts";
import { systemClock } from "../../src/clock.ts";
import { systemRandom } from "../../src/random.ts";
import { fill } from "./backlog.ts";
import { startHostileServers, type HostileServers } from "./hostile-process.ts";
import { openQueue, type Queue } from "./queue.ts";
import { heapInUse } from "./tls-endpoints.ts";

const FRIENDS = 10;
const EVERY_MS = 15;
const DEADLINE_MS = 1000;

export interface Neighbours {
  /** Milliseconds from COMMIT to the arrival at a receiver that does nothing wrong. */
  readonly p50: number;
  readonly p99: number;
  /** Bytes that the heap has grown by, from the first half to the end. */
  readonly grown: number;
  /** Attempts at the hostile endpoints that are over. */
  readonly hostile: number;
  /** The longest of them, in milliseconds, without the longest time in which this process did nothing. */
  readonly longest: number;
  /** The longest time in which this process did nothing of what it had to, in milliseconds. */
  readonly stalled: number;
}

/** Those who receive, in processes of their own, which are there also while nobody posts to them. */
export interface Neighbourhood {
  readonly hostile: HostileServers;
  readonly friendPort: number;
  stop(): void;
}

export async function startNeighbourhood(): Promise<Neighbourhood> {
  const hostile = await startHostileServers();
  const script = fileURLToPath(new URL("../bench/delivery/sink.ts", import.meta.url));
  const friend = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const [data] = (await once(friend.stdout, "data")) as [Buffer];
  return {
    hostile,
    friendPort: Number(String(data)),
    stop: () => {
      hostile.stop();
      friend.kill("SIGKILL");
    },
  };
}

/**
 * Delivers one merchant's events at a steady rate, beside another merchant of whose subscriptions each leads to an
 * endpoint that is hostile in its own way and has a backlog; or beside nobody, which is what the other is measured
 * by: the same events, the same processes, and no other traffic.
 */
export async function deliverBeside(
  endpoints: "hostile" | "nobody",
  { hostile: servers, friendPort }: Neighbourhood,
  { forMs }: { readonly forMs: number },
): Promise<Neighbours> {
  const queue = await openQueue();
  const friend = (number: number): string =>
    `http://127.0.0.${String(2 + number)}:${String(friendPort)}`;
  for (let number = 0; number < FRIENDS; number += 1) {
    const url = `${friend(number)}/timed`;
    await queue.subscribe(`sub_${String(number)}`, { url, clockId: "live" });
  }
  if (endpoints === "hostile") await fillHostile(queue, servers);
  const hostile = { count: 0, longest: 0 };
  const transport = undiciTransport({ deadlineMs: DEADLINE_MS, allowLoopback: true });
  const engine = queue.engine(transport, {
    clock: systemClock,
    random: systemRandom,
    policy: { deadlineMs: DEADLINE_MS, leaseMs: DEADLINE_MS + 15_000 },
    observer: {
      attempted: ({ attempt: { endpoint, durationMs } }) => {
        if (!endpoint.key.startsWith("hostile")) return;
        hostile.count += 1;
        hostile.longest = Math.max(hostile.longest, durationMs);
      },
    },
  });
  const stalls = monitorEventLoopDelay({ resolution: 10 });
  stalls.enable();
  const committed = new Map<string, number>();
  const start = performance.now();
  let halfway: number | undefined;
  for (let count = 0; performance.now() - start < forMs; count += 1) {
    const key = `sub_${String(count % FRIENDS)}`;
    const at = Date.now();
    const id = await queue.enqueue(key, { nextAt: at });
    committed.set(id.replace("dlv", "evt"), performance.timeOrigin + performance.now());
    engine.onWork([{ key, at }]);
    await setTimeout(EVERY_MS);
    if (performance.now() - start > forMs / 2) halfway ??= heapInUse();
  }
  stalls.disable();
  const arrived = new Map<string, number>();
  while (arrived.size < committed.size) {
    const { body } = await request(`${friend(0)}/arrivals`);
    for (const line of (await body.text()).split("\n").filter(Boolean)) {
      const [id = "", at] = line.split(" ");
      if (!arrived.has(id)) arrived.set(id, Number(at));
    }
    await setTimeout(EVERY_MS);
  }
  const grown = heapInUse() - (halfway ?? 0);
  await engine.stop({ graceMs: 0 });
  const waits = [...committed].map(([id, at]) => (arrived.get(id) ?? Number.NaN) - at);
  // The first ones open connections and compile; what succeeds at a hostile endpoint is done with by then.
  const sorted = waits.slice(waits.length / 4).toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN;
  const stalled = stalls.max / 1e6;
  const longest = hostile.longest - stalled;
  return { p50: at(0.5), p99: at(0.99), grown, hostile: hostile.count, longest, stalled };
}

/** Gives another merchant a subscription at each hostile endpoint, each with a backlog that is due. */
async function fillHostile(queue: Queue, { kinds, urlOf }: HostileServers): Promise<void> {
  for (const [number, kind] of kinds.entries()) {
    const name = `hostile_${String(number)}_`;
    const merchant = { clockId: "live", merchantId: "mer_2" };
    await queue.subscribe(name, { url: urlOf(kind).href, ...merchant });
    await fill(queue, { count: 400, key: `'${name}'`, nextAt: 0, name });
  }
}
