import { setTimeout } from "node:timers/promises";
import type { Driver } from "@countersign/service";
import { seeded } from "../fuzz/random.ts";
import { openServed } from "./serve-processes.ts";
import type { ChaosStore } from "./delivery-store.ts";
import { verdictOf, type Verdict } from "./delivery-verdict.ts";

/** The counts of a campaign with `countersign serve`. */
export interface ServeTally extends Verdict {
  readonly events: number;
  readonly paymentId: string;
}

export interface ServeCampaign {
  readonly cycles: number;
  /** Refunds that are due: each emits two events. */
  readonly refunds: number;
  readonly seed: number;
  /** An empty database. */
  readonly store: ChaosStore;
}

/** Longest life of each process once both are ready, in milliseconds. */
const ALIVE_MS = 400;

/** Kills two processes of `countersign serve` that share a database, again and again; a last one delivers the rest. */
export async function serveCampaign(campaign: ServeCampaign): Promise<ServeTally> {
  const { cycles, refunds, seed, store } = campaign;
  const { driver } = store;
  const random = seeded(seed);
  const { askDueRefunds, paymentId, arrived, serve } = await openServed(store);
  await askDueRefunds(refunds);
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const both = [serve(), serve()];
    await Promise.all(both.map((one) => one.ready()));
    for (const one of both) {
      await setTimeout(random.int(ALIVE_MS));
      await one.end("SIGKILL");
    }
    // Both are gone: nobody need wait for the end of their leases.
    await driver.transaction((tx) => tx.query("DELETE FROM delivery_members"));
  }
  const last = serve();
  await last.ready();
  await nothingWaits(driver);
  await last.end();
  const rows = await driver.query<{ id: string }>("SELECT event_id AS id FROM deliveries");
  const written = rows.map(({ id }) => id);
  return { ...(await verdictOf(driver, written, arrived)), events: written.length, paymentId };
}

async function nothingWaits(driver: Driver): Promise<void> {
  for (let waited = 0; waited < 30_000; waited += 50) {
    const rows = await driver.query(
      `SELECT id FROM deliveries WHERE next_at IS NOT NULL
       UNION ALL SELECT id FROM payments WHERE direction = 'CREDIT' AND status = 'PENDING' LIMIT 1`,
    );
    if (rows.length === 0) return;
    await setTimeout(50);
  }
}
