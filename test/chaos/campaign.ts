import { setTimeout as after } from "node:timers/promises";
import { Agent, request } from "undici";
import { attemptOf, NOON, refundAuthorized } from "../../packages/receiver/test/fixtures.ts";
import { seeded } from "../fuzz/random.ts";
import { countOf, linesOf, openBooks } from "./books.ts";
import { startBundled } from "./bundled.ts";
import {
  CRASH_POINTS,
  type CrashPoint,
  type MerchantOptions,
  type MerchantStore,
  STORED_CRASH_POINTS,
} from "./crash-points.ts";

const EVENTS_A_CYCLE = 8;
/** Events of shared resources: as many at a time, until all of them are booked. */
const SHARED_EVENTS = 200;
const SHARED_RESOURCES = 20;
/** The default lease: after it, a claim of a process that ended is over. */
const LEASE_MS = 60_000;
/** A process that is killed from outside lives so long under load at most, in milliseconds. */
const RANDOM_MS = 30;
/** Time for workers to reach a point, or the end of the stored events, in milliseconds. */
const WORKERS_MS = 10_000;
const DRAIN_MS = 120_000;

/** Minimum of times that a cycle passes a point: one take may contain all events stored before it. */
const passesOf = (point: CrashPoint): number => (point === "after the take" ? 1 : 3);

interface Campaign {
  readonly cycles: number;
  readonly seed: number;
  readonly flaw?: MerchantOptions["flaw"];
  readonly kind?: MerchantStore["kind"];
  readonly acknowledge?: MerchantOptions["acknowledge"];
  /** True: 200 events of 20 resources with order per-resource. Default: each event has its own resource. */
  readonly shared?: boolean;
  /** The named points at which processes end, in turns. Default: every second cycle at one of all, the others at any moment. */
  readonly points?: readonly CrashPoint[];
  /** True: each cycle also crashes the store's server, and then sends acknowledged events again. */
  readonly restarts?: boolean;
}

/** Kills a merchant's process again and again, and sends each event until it is acknowledged. */
export async function crashCampaign({
  cycles,
  seed,
  flaw,
  kind = "sqlite",
  acknowledge = "after-handler",
  shared = false,
  points,
  restarts = false,
}: Campaign) {
  const random = seeded(seed);
  const books = await openBooks(kind);
  const { store, outside, crashes } = books;
  const acknowledged = new Set<string>();
  const pending = new Map<string, string>();
  const repeated: string[] = [];
  let [killed, clock, batches, sentAgain] = [0, NOON, 0, 0];

  const start = (crash?: MerchantOptions["crash"]) =>
    startMerchant({
      store,
      acknowledge,
      order: shared ? "per-resource" : "none",
      outside,
      crashes,
      now: clock,
      ...(crash && { crash }),
      ...(flaw && { flaw }),
    });
  const deliver = async (merchant: Awaited<ReturnType<typeof start>>): Promise<void> => {
    const post = async ([id, payment]: readonly [string, string]): Promise<void> => {
      if (!(await merchant.post({ id, payment }, clock))) return;
      acknowledged.add(id);
      pending.delete(id);
    };
    await Promise.all([...pending].map(post));
  };
  /** Sends acknowledged events until they are acknowledged again. @returns Those that were handled again. */
  const repeat = async (
    merchant: Awaited<ReturnType<typeof start>>,
    known: readonly string[],
  ): Promise<readonly string[]> => {
    const before = await books.booked();
    const deadline = performance.now() + DRAIN_MS;
    const send = async (id: string): Promise<void> => {
      while (!(await merchant.post({ id, payment: id }, clock))) {
        if (performance.now() > deadline) throw new Error(`${id} was not acknowledged again`);
        await after(20);
      }
      sentAgain += 1;
    };
    await Promise.all(known.map(send));
    const now = await books.booked();
    return known.filter((id) => now.get(id) !== before.get(id));
  };
  const pointOf = (cycle: number): CrashPoint | undefined => {
    if (restarts) return undefined;
    if (points !== undefined) return points[cycle % points.length];
    const all = acknowledge === "after-store" ? STORED_CRASH_POINTS : CRASH_POINTS;
    return cycle % 2 === 0 ? all[(cycle / 2) % all.length] : undefined;
  };
  const missing = async (): Promise<readonly string[]> => {
    const booked = await books.booked();
    return [...acknowledged].filter((id) => !booked.has(id));
  };
  /** @returns The number of unfinished events. */
  const addEvents = async (): Promise<number> => {
    const open = pending.size + (shared ? (await missing()).length : 0);
    if (shared && open > 0) return open;
    const count = shared ? SHARED_EVENTS : EVENTS_A_CYCLE;
    for (let event = 0; event < count; event += 1) {
      const id = `evt_${String(batches)}_${String(event)}`;
      const payment = `${String(batches)}_${String(event % SHARED_RESOURCES)}`;
      pending.set(id, shared ? payment : id);
    }
    batches += 1;
    return open + count;
  };

  try {
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      const open = await addEvents();
      // Few events might not pass a point often enough.
      const point = open < EVENTS_A_CYCLE ? undefined : pointOf(cycle);
      const crash = point && { point, pass: 1 + random.int(passesOf(point)) };
      const merchant = await start(crash);
      const wait = random.int(RANDOM_MS);
      const timer = crash || restarts ? undefined : setTimeout(() => merchant.kill(), wait);
      const restarted = restarts ? after(wait).then(() => books.restart?.()) : undefined;
      const known = [...acknowledged].slice(-EVENTS_A_CYCLE);
      await deliver(merchant);
      clearTimeout(timer);
      await restarted;
      if (restarts) repeated.push(...(await repeat(merchant, known)));
      // A worker passes its points after the answers. The load may end before the time of a kill.
      const patience = crash && acknowledge === "after-store" ? WORKERS_MS : 0;
      if ((await merchant.ended(patience)) === "SIGKILL") killed += 1;
      clock += LEASE_MS;
    }
    const survivor = await start();
    const deadline = performance.now() + DRAIN_MS;
    // Attempts of a resource that is busy are refused: their sender tries again.
    do await deliver(survivor);
    while (pending.size > 0 && performance.now() < deadline);
    if (acknowledge === "after-store")
      while ((await missing()).length > 0 && performance.now() < deadline) await after(20);
    await survivor.ended(0);

    const booked = await books.booked();
    const times = Object.values(countOf(linesOf(outside)));
    return {
      cycles,
      /** Processes that ended by SIGKILL: each cycle's. */
      killed,
      /** Number of times the process ended at each named point. */
      crashes: countOf(linesOf(crashes)),
      events: acknowledged.size + pending.size,
      /** Acknowledged and not booked, or never acknowledged: must be none. */
      lost: [...[...acknowledged].filter((id) => !booked.has(id)), ...pending.keys()],
      /** Booked more than once in the inbox's transaction, or again after it was acknowledged: must be none. */
      twice: kind === "redis" ? repeated : [...booked].flatMap(([id, n]) => (n > 1 ? [id] : [])),
      /** Acknowledged events that were sent and acknowledged again after a crash of the store's server. */
      ...(restarts && { sentAgain }),
      /** Outside calls that were repeated, as expected: only the other side can prevent it. */
      repeatedOutside: times.filter((n) => n > 1).length,
    };
  } finally {
    await books.close();
  }
}

/** Starts a merchant's process, to which events are sent over four connections. */
async function startMerchant(options: MerchantOptions) {
  const child = await startBundled(options);
  // One that a crash ends before it listens prints no port.
  const url = `http://127.0.0.1:${(await child.ready)?.trim() ?? "0"}/webhooks`;
  const agent = new Agent({ connections: 4 });
  const acknowledged = options.acknowledge === "after-store" ? [202, 204] : [204];
  return {
    kill: () => child.kill(),
    /** Sends an event of a payment. @returns True if it was acknowledged. */
    async post({ id, payment }: { readonly id: string; readonly payment: string }, now: number) {
      const event = refundAuthorized(id);
      const data = { ...event.data, paymentId: payment };
      const { headers, body } = attemptOf({ ...event, data }, { now });
      try {
        const answer = await request(url, { method: "POST", headers, body, dispatcher: agent });
        await answer.body.dump();
        return acknowledged.includes(answer.statusCode);
      } catch {
        // No answer: the process ended, and the sender does not know how far it got.
        return false;
      }
    },
    async ended(withinMs: number): Promise<string | null> {
      const signal = await child.ended(withinMs);
      await agent.destroy();
      return signal;
    },
  };
}
