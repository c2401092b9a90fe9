import { join } from "node:path";
import type { Driver } from "@countersign/service";
import { seeded } from "../fuzz/random.ts";
import { countOf, linesOf } from "./books.ts";
import { type Child, startBundled } from "./bundled.ts";
import { deliverRest } from "./delivery-ending.ts";
import { DELIVERY_POINTS, type DelivererOptions, type DeliveryPoint } from "./delivery-points.ts";
import { startSink } from "./delivery-sink.ts";
import { verdictOf, type Verdict } from "./delivery-verdict.ts";
import { startWriting, subscribe } from "./delivery-writer.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export type DeliveryTally = Verdict & {
  readonly killed: number;
  /** Number of times a process ended at each named point. */
  readonly crashes: Readonly<Partial<Record<DeliveryPoint, number>>>;
  readonly events: number;
  /** Arrived twice although no process was killed in between, as `Sink` says: must be none. */
  readonly doubled: readonly string[];
  /** Arrived with another body than was written: must be none. */
  readonly garbled: readonly string[];
  /** The clock's lead when no delivery was waiting, in milliseconds. */
  readonly aheadMs: number;
};

export interface DeliveryCampaign {
  readonly cycles: number;
  readonly seed: number;
  /** `postgres://…`, or the path of a SQLite file. */
  readonly database: string;
  /** The campaign's own connection; the database is empty at first. */
  readonly driver: Driver;
  /** Processes concurrently. Default 2. */
  readonly processes?: number;
  /** Milliseconds that a process is alive after its last beat. Default 6000. */
  readonly leaseMs?: number;
  readonly flaw?: DelivererOptions["flaw"];
  /** The points at which processes end, in turns. Default: every second cycle at one of all, the others at any moment. */
  readonly points?: readonly DeliveryPoint[];
}

/** Longest time before a process is killed from outside, in milliseconds. */
const RANDOM_MS = 250;
/** Longest time for a process to reach its point, in milliseconds. */
const PATIENCE_MS = 30_000;

/** Lets processes deliver from one database, kills each and starts another in its place. */
export async function deliveryCampaign(campaign: DeliveryCampaign): Promise<DeliveryTally> {
  const { cycles, database, driver, flaw, processes = 2, leaseMs = 6000 } = campaign;
  const crashes = join(temporaryFolder(), "crashes.txt");
  let names = 0;
  const startDeliverer = (
    options: Pick<DelivererOptions, "ahead" | "crash" | "flaw">,
  ): Promise<Child> =>
    startBundled("deliverer", {
      ...options,
      database,
      crashes,
      leaseMs,
      name: `process-${String((names += 1))}`,
    });
  const sink = await startSink();
  let [next, killed] = [0, 0];

  const inTurns = async (): Promise<void> => {
    while (next < cycles) {
      const { crash, afterMs } = planOf(campaign, next);
      next += 1;
      const child = await startDeliverer({
        ahead: 0,
        ...(crash && { crash }),
        ...(flaw && { flaw }),
      });
      await child.ready;
      if ((await child.ended(afterMs)) === "SIGKILL") killed += 1;
    }
  };

  try {
    await subscribe(driver, sink.url);
    const writing = startWriting(driver);
    await Promise.all(Array.from({ length: processes }, inTurns));
    const written = await writing.end();
    const aheadMs = await deliverRest(driver, (ahead) => startDeliverer({ ahead }));
    return {
      killed,
      aheadMs,
      crashes: countOf(linesOf(crashes)),
      events: written.length,
      doubled: sink.doubled,
      garbled: sink.garbled,
      ...(await verdictOf(driver, written, sink.arrived)),
    };
  } finally {
    await sink.close();
  }
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
  // A process may lease all its endpoints at once.
  const pass = point.endsWith("lease") ? 1 : 1 + random.int(3);
  return { crash: { point, pass }, afterMs: PATIENCE_MS };
}
