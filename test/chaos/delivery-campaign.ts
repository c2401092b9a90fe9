import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { StoreUnavailableError, type Driver } from "@countersign/service";
import { listenHttp } from "../../packages/service/test/delivery/listening.ts";
import { queueOf, type Queue } from "../../packages/service/test/delivery/queue.ts";
import { seeded } from "../fuzz/random.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { countOf, linesOf } from "./books.ts";
import { type Child, startBundled } from "./bundled.ts";
import { DELIVERY_POINTS, type DelivererOptions, type DeliveryPoint } from "./crash-points.ts";
import type { ChaosStore } from "./delivery-store.ts";
import { noneLeft, verdictOf } from "./delivery-verdict.ts";

interface DeliveryCampaign {
  readonly cycles: number;
  readonly seed: number;
  /** An empty database. */
  readonly store: ChaosStore;
  /** Processes concurrently. Default 2. */
  readonly processes?: number;
  /** Milliseconds that a claim lasts. Default 6000. */
  readonly leaseMs?: number;
  readonly flaw?: DelivererOptions["flaw"];
  /** The points at which processes end, in turns. Default: every second cycle at one of all, the others at any moment. */
  readonly points?: readonly DeliveryPoint[];
}

const HOUR_MS = 3_600_000;
/** Longest time before a process is killed from outside, in milliseconds. */
const RANDOM_MS = 250;
/** Longest time for a process to reach its point, and without progress at the end, in milliseconds. */
const PATIENCE_MS = 30_000;
const SUBSCRIPTIONS = ["sub_0", "sub_1", "sub_2", "sub_3"];
/** Pause between two events of each subscription, in milliseconds. */
const WRITE_MS = 70;
/** Events for each process that is started: a slow machine gets no more of them. */
const EVENTS_A_PROCESS = 60;
/** A schedule's ten attempts, and some that end with the process of their round. */
const ROUNDS = 20;

/** Lets processes deliver from one database, kills each and starts another in its place. */
export async function deliveryCampaign(campaign: DeliveryCampaign) {
  const { cycles, store, flaw, processes = 2, leaseMs = 6000 } = campaign;
  const { database, driver } = store;
  const crashes = join(temporaryFolder(), "crashes.txt");
  let [next, killed, names] = [0, 0, 0];
  const wanted = (): number => next * EVENTS_A_PROCESS;
  const startDeliverer = (options: Pick<DelivererOptions, "ahead" | "crash" | "flaw">) => {
    const name = `process-${String((names += 1))}`;
    return startBundled("deliverer", { ...options, database, crashes, leaseMs, name });
  };
  const inTurns = async (): Promise<void> => {
    while (next < cycles) {
      const { crash, afterMs } = planOf(campaign, next);
      next += 1;
      const own = { ...(crash && { crash }), ...(flaw && { flaw }) };
      const child = await startDeliverer({ ahead: 0, ...own });
      await child.ready;
      if ((await child.ended(afterMs)) === "SIGKILL") killed += 1;
    }
  };

  const { url, arrived, ...found } = await startSink();
  const queue = await queueOf(driver);
  for (const key of SUBSCRIPTIONS) await queue.subscribe(key, { clockId: "live", url });
  const over = new AbortController();
  const writing = write(queue, wanted, over.signal);
  await Promise.all(Array.from({ length: processes }, inTurns));
  over.abort();
  const written = await writing;
  const aheadMs = await deliverRest(driver, (ahead) => startDeliverer({ ahead }));
  return {
    killed,
    /** The clock's lead when no delivery was waiting, in milliseconds. */
    aheadMs,
    /** Number of times a process ended at each named point. */
    crashes: countOf(linesOf(crashes)),
    events: written.length,
    ...found,
    doubled: await withoutCutShort(driver, found.doubled),
    ...(await verdictOf(driver, written, arrived)),
  };
}

/** Plans how a cycle's process ends. */
function planOf(
  { seed, points }: DeliveryCampaign,
  cycle: number,
): { readonly crash?: DelivererOptions["crash"]; readonly afterMs: number } {
  const random = seeded(seed + cycle);
  const all = DELIVERY_POINTS;
  const any = cycle % 2 === 0 ? all[(cycle / 2) % all.length] : undefined;
  const point = points === undefined ? any : points[cycle % points.length];
  if (point === undefined) return { afterMs: random.int(RANDOM_MS) };
  return { crash: { point, pass: 1 + random.int(3) }, afterMs: PATIENCE_MS };
}

/** Writes as many events as are wanted, until the signal. @returns The ids of those whose transactions were answered. */
async function write(
  queue: Queue,
  wanted: () => number,
  over: AbortSignal,
): Promise<readonly string[]> {
  const events: string[] = [];
  while (!over.aborted) {
    for (const key of events.length < wanted() ? SUBSCRIPTIONS : [])
      try {
        const delivery = await queue.enqueue(key, { nextAt: Date.now() });
        events.push(delivery.replace("dlv", "evt"));
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
      }
    await setTimeout(WRITE_MS);
  }
  return events;
}

/**
 * Delivers the rest, round by round, by processes whose clocks are ahead: at the end of every wait.
 *
 * @param start Starts a process whose clock is so many milliseconds ahead.
 * @returns The last clock's lead in milliseconds; 0 if nothing was left.
 */
async function deliverRest(
  driver: Driver,
  start: (ahead: number) => Promise<Child>,
): Promise<number> {
  let ahead = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const [last] = await driver.query<{ at: number | null }>(
      "SELECT MAX(next_at) AS at FROM deliveries WHERE next_at IS NOT NULL",
    );
    if (last?.at == null) break;
    ahead = Math.max(0, last.at - Date.now()) + HOUR_MS;
    // All processes have been killed: no process has to wait until their claims end.
    await driver.transaction((tx) => tx.query("UPDATE deliveries SET claimed_until = 0"));
    const survivor = await start(ahead);
    const due = `SELECT id FROM deliveries WHERE next_at <= ${String(last.at)}`;
    const isDone = await noneLeft(driver, due, PATIENCE_MS);
    await survivor.ended(0);
    if (!isDone) break;
  }
  return ahead;
}

/** Leaves out events whose sender recorded no answer: on a loaded machine it reads an answer after its deadline. */
async function withoutCutShort(
  driver: Driver,
  doubled: readonly string[],
): Promise<readonly string[]> {
  const rows = await driver.query<{ event: string }>(
    `SELECT event_id AS event FROM earlier_attempts JOIN deliveries ON deliveries.id = delivery_id
     WHERE error IS NOT NULL`,
  );
  const cutShort = new Set(rows.map(({ event }) => event));
  return doubled.filter((one) => {
    const [event = ""] = one.split(" ");
    return one.includes("concurrently") || !cutShort.has(event);
  });
}

/** Delay of every fourth response, in milliseconds, so that kills hit attempts that have arrived. */
const SLOW_MS = 20;
/** One event in so many is refused this many times first. */
const [REFUSED, REFUSALS] = [16, 2];
/** Everything is refused for so long, every so often, so that subscriptions fail completely; milliseconds. */
const [OUTAGE_MS, EVERY_MS] = [300, 5000];

/**
 * Merchants who refuse some attempts, until the running test ends. An event's body is its id. They are never killed:
 * everything they counted has arrived.
 */
async function startSink() {
  /** Number of times that each event arrived whole and was accepted. */
  const arrived = new Map<string, number>();
  const refused = new Map<string, number>();
  /** Arrived with another body than was written: must be none. */
  const garbled: string[] = [];
  /**
   * Events that one process had accepted twice, or that arrived while another request of theirs was open: must be none.
   * A process knows what it has attempted, and nobody else attempts it while the process lives.
   */
  const doubled: string[] = [];
  const open = new Set<string>();
  const accepted = new Set<string>();
  let answers = 0;

  const statusOf = (id: string): number => {
    if (Date.now() % EVERY_MS < OUTAGE_MS) return 503;
    const refusals = refused.get(id) ?? 0;
    if (Number(id.slice("evt_".length)) % REFUSED === 0 && refusals < REFUSALS) {
      refused.set(id, refusals + 1);
      return 503;
    }
    arrived.set(id, (arrived.get(id) ?? 0) + 1);
    return 204;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request).catch(() => undefined);
    // A request whose sender was killed while it sent has not arrived.
    if (body === undefined) return;
    const id = String(request.headers["webhook-id"]);
    const sender = request.headers["user-agent"] ?? "";
    if (body !== JSON.stringify({ id })) garbled.push(id);
    if (open.has(id)) doubled.push(`${id} concurrently, by ${sender}`);
    open.add(id);
    response.on("close", () => open.delete(id));
    const status = statusOf(id);
    if (status === 204 && accepted.has(`${sender} ${id}`)) doubled.push(`${id} by ${sender}`);
    if (status === 204) accepted.add(`${sender} ${id}`);
    answers += 1;
    if (answers % 4 === 0) await setTimeout(SLOW_MS);
    response.writeHead(status).end();
  };
  const { url } = await listenHttp((request, response) => void answer(request, response));
  return { arrived, doubled, garbled, url: url.href };
}
