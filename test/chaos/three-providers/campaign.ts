import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as after } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { clients, sharedPostgres } from "../../../packages/receiver/test/inboxes/servers.ts";
import { seeded } from "../../fuzz/random.ts";
import type { Secrets } from "./app.ts";
import type { Kind, ProcessOptions } from "./process.ts";
import { type Delivery, trafficOf } from "./traffic.ts";

/** The events of one shop, by what became of them. */
export interface Count {
  readonly events: number;
  readonly attempts: number;
  readonly kills: number;
  /** Acknowledged, and never booked. */
  readonly lost: readonly string[];
  /** Booked more than once. */
  readonly twice: readonly string[];
  /** Genuine attempts that were answered as forged. */
  readonly refused: number;
}

const PROCESSES = 3;
const EVENTS_A_SECOND = 40;
/** The longest wait before the next attempt of a delivery. */
const RETRY_MS = 1500;
/** Time for the last deliveries: longer than the lease of a process that was killed. */
const DRAIN_MS = 60_000;

const BEFORE: Secrets = {
  stripe: ["whsec_9oYzVbQ2mK4sTjX7rLwD1nFgHcA5eP8u"],
  stripeConnect: ["whsec_U3kMfN6xWqB0vRzS8yGtJhC2dL7pE4aI"],
  github: ["a made-up secret before the rotation"],
  shopify: ["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"],
};
const AFTER: Secrets = {
  stripe: ["whsec_4vTfXcR8nL2wYsB6qJzK0mGhDaP3eU7i", ...BEFORE.stripe],
  stripeConnect: BEFORE.stripeConnect,
  github: ["a made-up secret after the rotation", ...BEFORE.github],
  shopify: ["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", ...BEFORE.shopify],
};

/** Sends the traffic of three providers to one shop, whose processes are killed at random, and counts its books. */
export async function campaignOf({
  kind,
  seed,
  seconds,
}: {
  readonly kind: Kind;
  readonly seed: number;
  readonly seconds: number;
}): Promise<Count> {
  const random = seeded(seed);
  const postgres = await sharedPostgres();
  const database = await postgres.create();
  const books = await clients.postgres(postgres.port, database);
  await books.query("CREATE TABLE booked (provider text, id text)");
  const deliveries = await trafficOf(random);
  const agent = new Agent({ connections: 64, headersTimeout: 20_000 });
  let [rotatesAt, endsAt] = [Infinity, Infinity];
  const acknowledged = new Map<string, Delivery>();
  let [events, attempts, kills, refused] = [0, 0, 0, 0];
  const over = new AbortController();

  const signing = (): Secrets => (performance.now() < rotatesAt ? BEFORE : AFTER);
  const processes: (Shop | undefined)[] = [];
  const start = async (place: number): Promise<void> => {
    processes[place] = await startShop({
      kind,
      port: postgres.port,
      database,
      secrets: AFTER,
    });
  };

  /** Makes one attempt. @returns True if it was acknowledged. */
  const attempt = async (delivery: Delivery): Promise<boolean> => {
    const shop = processes[random.int(PROCESSES)];
    if (shop === undefined) return false;
    attempts += 1;
    const { headers, body } = await delivery.sign(signing());
    try {
      const response = await request(`http://127.0.0.1:${String(shop.port)}${delivery.path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
        dispatcher: agent,
      });
      await response.body.dump();
      if (response.statusCode === 400 || response.statusCode === 401) refused += 1;
      if (response.statusCode >= 300) return false;
      acknowledged.set(`${delivery.provider} ${delivery.id}`, delivery);
      return true;
    } catch {
      return false;
    }
  };
  /** Sends a delivery until it is acknowledged, some twice at once, some again afterwards. */
  const deliver = async (delivery: Delivery): Promise<void> => {
    const deadline = endsAt + DRAIN_MS;
    while (performance.now() < deadline) {
      const twin = random.int(10) === 0 ? attempt(delivery) : undefined;
      const isDone = await attempt(delivery);
      await twin;
      if (isDone) break;
      await after(100 + random.int(RETRY_MS));
    }
    if (random.int(20) === 0) await attempt(delivery);
  };
  const killing = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await after(500 + random.int(2000));
      const place = random.int(PROCESSES);
      const shop = processes[place];
      if (shop === undefined || over.signal.aborted) continue;
      processes[place] = undefined;
      kills += 1;
      await shop.kill();
      await start(place);
    }
  };

  await Promise.all(Array.from({ length: PROCESSES }, (_, place) => start(place)));
  rotatesAt = performance.now() + seconds * 500;
  endsAt = performance.now() + seconds * 1000;
  const killed = killing();
  const running: Promise<void>[] = [];
  try {
    while (performance.now() < endsAt) {
      for (const delivery of deliveries(events)) running.push(deliver(delivery));
      events += 1;
      await after(1000 / EVENTS_A_SECOND);
    }
    over.abort();
    await killed;
    await Promise.all(running);
    const { rows } = await books.query<{ name: string; times: string }>(
      "SELECT provider || ' ' || split_part(id, ' ', 1) AS name, count(*) AS times FROM booked GROUP BY 1",
    );
    const booked = new Map(rows.map(({ name, times }) => [name, Number(times)]));
    return {
      events,
      attempts,
      kills,
      lost: [...acknowledged.keys()].filter((name) => !booked.has(name)),
      twice: [...booked].filter(([, times]) => times > 1).map(([name]) => name),
      refused,
    };
  } finally {
    over.abort();
    await killed;
    await Promise.all(processes.map(async (shop) => shop?.kill()));
    await agent.close();
    await books.end();
    await postgres.stop();
  }
}

interface Shop {
  readonly port: number;
  kill(): Promise<void>;
}

async function startShop(options: ProcessOptions): Promise<Shop> {
  const program = fileURLToPath(new URL("process.ts", import.meta.url));
  const flags = ["--conditions=@countersign/source", "--disable-warning=ExperimentalWarning"];
  const child: ChildProcess = spawn(
    process.execPath,
    [...flags, program, JSON.stringify(options)],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const exited = once(child, "exit");
  if (child.stdout === null) throw new Error("the process has no output");
  const [port] = (await Promise.race([
    once(child.stdout, "data"),
    exited.then(() => Promise.reject(new Error("the shop ended before it was ready"))),
  ])) as [Buffer];
  return {
    port: Number(String(port)),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
