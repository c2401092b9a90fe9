import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Driver } from "@countersign/service";
import { seeded } from "../fuzz/random.ts";
import { deliverRest } from "./delivery-ending.ts";
import { DELIVERY_POINTS, type DelivererOptions, type DeliveryPoint } from "./delivery-points.ts";
import { startSink } from "./delivery-sink.ts";
import { deliverersOf } from "./delivery-start.ts";
import { verdictOf, type Verdict } from "./delivery-verdict.ts";
import { startWriting, subscribe } from "./delivery-writer.ts";

/** What a campaign counted. */
export interface DeliveryTally extends Verdict {
  readonly killed: number;
  /** How often a process ended at each named point. */
  readonly crashes: Readonly<Partial<Record<DeliveryPoint, number>>>;
  readonly events: number;
  /** Arrived otherwise than they were written: must be none. */
  readonly garbled: readonly string[];
  /** How far the clock went ahead before nothing waited any more, in milliseconds. */
  readonly aheadMs: number;
  /** What the engines told of, and how often. */
  readonly failures: Readonly<Record<string, number>>;
}

export interface DeliveryCampaign {
  readonly cycles: number;
  readonly seed: number;
  /** How the processes come to the database. */
  readonly database: string;
  /** The campaign's own way to it; empty at first. */
  readonly driver: Driver;
  /** Processes at one time. Default 2. */
  readonly processes?: number;
  readonly flaw?: DelivererOptions["flaw"];
  /** The named points that are met in turns. Default: all. */
  readonly points?: readonly DeliveryPoint[];
  /** Crashes the store's server: done once in each cycle, beside the kill. */
  readonly disturb?: () => Promise<void>;
  /** Told of each kill. */
  readonly onKilled?: () => void;
  /** Begins no further cycle once it is aborted. */
  readonly enough?: AbortSignal;
}

/** Where a process is killed from outside, it delivers so long at most, in milliseconds. */
const RANDOM_MS = 250;
/** A process whose point is not passed is killed after so long, in milliseconds. */
const PATIENCE_MS = 15_000;

/** Processes deliver from one database; all are killed again and again, and others take their places. */
export async function deliveryCampaign(campaign: DeliveryCampaign): Promise<DeliveryTally> {
  const { cycles, database, driver, flaw, processes = 2 } = campaign;
  const folder = mkdtempSync(join(tmpdir(), "countersign-chaos-"));
  const [crashes, failures] = [join(folder, "crashes.txt"), join(folder, "failures.txt")];
  const startDeliverer = await deliverersOf(folder);
  const sink = await startSink();
  // One after the other: what all turns ask for meets a server that is there.
  let disturbing = Promise.resolve();
  let [next, killed, disturbances] = [0, 0, 0];

  const inTurns = async (): Promise<void> => {
    while (next < cycles && campaign.enough?.aborted !== true) {
      const { crash, afterMs } = planOf(campaign, next);
      next += 1;
      const child = startDeliverer({
        database,
        crashes,
        failures,
        ahead: 0,
        ...(crash && { crash }),
        ...(flaw && { flaw }),
      });
      disturbing = disturbing.then(campaign.disturb);
      if (campaign.disturb !== undefined) disturbances += 1;
      const disturbed = disturbing;
      await child.ready;
      if ((await child.ended(afterMs)) === "SIGKILL") killed += 1;
      campaign.onKilled?.();
      await disturbed;
    }
  };

  try {
    await subscribe(driver, sink.url);
    const writing = startWriting(driver);
    await Promise.all(Array.from({ length: processes }, inTurns));
    const written = await writing.end();
    const aheadMs = await deliverRest(driver, (ahead) =>
      startDeliverer({ database, crashes, failures, ahead }),
    );
    return {
      killed,
      aheadMs,
      crashes: countOf(linesOf(crashes)),
      events: written.length,
      garbled: sink.garbled,
      failures: countOf(linesOf(failures)),
      ...(await verdictOf(driver, written, sink.arrived, disturbances)),
    };
  } finally {
    await sink.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How a cycle's process ends: every second one at a named point, in turns; the others at any moment. */
function planOf(
  { seed, points = DELIVERY_POINTS }: DeliveryCampaign,
  cycle: number,
): { readonly crash?: DelivererOptions["crash"]; readonly afterMs: number } {
  const random = seeded(seed + cycle);
  const point = cycle % 2 === 0 ? points[(cycle / 2) % points.length] : undefined;
  return point === undefined
    ? { afterMs: random.int(RANDOM_MS) }
    : { crash: { point, pass: 1 + random.int(3) }, afterMs: PATIENCE_MS };
}

const linesOf = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];

function countOf(lines: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(lines, (line) => line)].map(([line, all]) => [line, all.length]),
  );
}
