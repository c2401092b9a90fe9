import { NOON } from "../../packages/receiver/test/fixtures.ts";
import { seeded } from "../fuzz/random.ts";
import { countOf, linesOf, openBooks } from "./books.ts";
import {
  CRASH_POINTS,
  type CrashPoint,
  type MerchantOptions,
  type MerchantStore,
  STORED_CRASH_POINTS,
} from "./crash-points.ts";
import { type Merchant, startMerchant } from "./merchant-process.ts";

/** What a campaign counted. */
export interface Tally {
  readonly cycles: number;
  /** Processes that ended by SIGKILL: each cycle's. */
  readonly killed: number;
  /** How often the process ended at each named point. */
  readonly crashes: Readonly<Partial<Record<CrashPoint, number>>>;
  readonly events: number;
  /** Acknowledged and not booked: must be none. */
  readonly lost: readonly string[];
  /** Booked more than once although it is booked in the inbox's transaction: must be none. */
  readonly twice: readonly string[];
  /**
   * Booked when the process ended, and not acknowledged: the sender cannot know, and sends again. It is
   * a duplicate then, or its commit never came to an end and it is handled; which of the two, the
   * store alone tells.
   */
  readonly ambiguous: number;
  /** Calls outside that were made again, as they must be: nobody but the other side can prevent it. */
  readonly repeatedOutside: number;
}

const EVENTS_A_CYCLE = 8;
/** The default lease: after it, a claim of a process that ended is over. */
const LEASE_MS = 60_000;
/** Where it is killed from outside, the process lives so long under load, in milliseconds. */
const RANDOM_MS = 30;
/** How long workers may take to come to a point, or to the end of what is stored, in milliseconds. */
const WORKERS_MS = 10_000;

/** How often a cycle passes a point at least: where its events are stored before the first take, one take has them all. */
const passesOf = (point: CrashPoint): number => (point === "after the take" ? 1 : 3);

/** Kills a merchant's process again and again, and sends each event until it is acknowledged. */
export async function crashCampaign({
  cycles,
  seed,
  flaw,
  kind = "sqlite",
  acknowledge = "after-handler",
  points = acknowledge === "after-store" ? STORED_CRASH_POINTS : CRASH_POINTS,
}: {
  readonly cycles: number;
  readonly seed: number;
  readonly flaw?: MerchantOptions["flaw"];
  readonly kind?: MerchantStore["kind"];
  readonly acknowledge?: MerchantOptions["acknowledge"];
  /** The named points, each of which takes two cycles. */
  readonly points?: readonly CrashPoint[];
}): Promise<Tally> {
  const random = seeded(seed);
  const books = await openBooks(kind);
  const { store, outside, crashes } = books;
  const acknowledged = new Set<string>();
  const pending = new Set<string>();
  let [killed, ambiguous, clock] = [0, 0, NOON];

  const start = (crash?: MerchantOptions["crash"]): Promise<Merchant> =>
    startMerchant({
      store,
      acknowledge,
      outside,
      crashes,
      now: clock,
      ...(crash && { crash }),
      ...(flaw && { flaw }),
    });
  const deliver = async (merchant: Merchant): Promise<void> => {
    const post = async (id: string): Promise<void> => {
      if (!(await merchant.post(id, clock))) return;
      acknowledged.add(id);
      pending.delete(id);
    };
    await Promise.all([...pending].map(post));
  };

  try {
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      for (let event = 0; event < EVENTS_A_CYCLE; event += 1)
        pending.add(`evt_${String(cycle)}_${String(event)}`);
      // Every second one at a named point, in turns; the others from outside at any moment.
      const point = cycle % 2 === 0 ? points[(cycle / 2) % points.length] : undefined;
      const crash = point && { point, pass: 1 + random.int(passesOf(point)) };
      const merchant = await start(crash);
      const wait = random.int(RANDOM_MS);
      const timer = crash ? undefined : setTimeout(() => merchant.kill(), wait);
      await deliver(merchant);
      clearTimeout(timer);
      // A worker passes its points after the answers.
      if (crash && acknowledge === "after-store") await merchant.endedWithin(WORKERS_MS);
      // Also where the load ended before its time came.
      if ((await merchant.ended()) === "SIGKILL") killed += 1;
      clock += LEASE_MS;
      const booked = await books.booked();
      for (const id of pending) if (booked.has(id)) ambiguous += 1;
    }
    const survivor = await start();
    await deliver(survivor);
    const deadline = performance.now() + WORKERS_MS;
    const missing = async (): Promise<readonly string[]> => {
      const booked = await books.booked();
      return [...acknowledged].filter((id) => !booked.has(id));
    };
    if (acknowledge === "after-store")
      while ((await missing()).length > 0 && performance.now() < deadline)
        await survivor.endedWithin(20);
    await survivor.ended();

    const booked = await books.booked();
    return {
      cycles,
      killed,
      crashes: countOf(linesOf(crashes)),
      events: acknowledged.size + pending.size,
      lost: await missing(),
      // Redis has no transaction: what is booked there is a call outside.
      twice: kind === "redis" ? [] : [...booked].flatMap(([id, n]) => (n > 1 ? [id] : [])),
      ambiguous,
      repeatedOutside: Object.values(countOf(linesOf(outside))).filter((n) => n > 1).length,
    };
  } finally {
    await books.close();
  }
}
