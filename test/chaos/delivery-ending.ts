import { setTimeout } from "node:timers/promises";
import type { Driver } from "@countersign/service";
import type { Child } from "./bundled.ts";

const HOUR_MS = 3_600_000;
/** A schedule's ten attempts, and some that end with the process of their round. */
const ROUNDS = 20;
const PAUSE_MS = 20;
/** Longest time without progress in a round, in milliseconds: shorter than a test's timeout, which would hide what waits. */
const PATIENCE_MS = 30_000;

/**
 * Delivers the rest, round by round, by processes whose clocks are ahead: at the end of every wait.
 *
 * @param start Starts a process whose clock is so many milliseconds ahead.
 * @returns The last clock's lead in milliseconds; 0 if nothing was left.
 */
export async function deliverRest(
  driver: Driver,
  start: (ahead: number) => Promise<Child>,
): Promise<number> {
  let ahead = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const last = await lastWait(driver);
    if (last === undefined) break;
    ahead = Math.max(0, last - Date.now()) + HOUR_MS;
    // All processes have been killed: no process has to wait for their leases.
    await driver.transaction((tx) => tx.query("DELETE FROM delivery_members"));
    const survivor = await start(ahead);
    const isDone = await nothingIsDue(driver, last);
    await survivor.ended(0);
    if (!isDone) break;
  }
  return ahead;
}

/** Returns the instant at which the last delivery of the queue is due. */
async function lastWait(driver: Driver): Promise<number | undefined> {
  const [row] = await driver.query<{ at: number | null }>(
    "SELECT MAX(next_at) AS at FROM deliveries WHERE next_at IS NOT NULL",
  );
  return row?.at ?? undefined;
}

/** Returns true when no delivery is due by an instant, and false after a while without progress. */
async function nothingIsDue(driver: Driver, at: number): Promise<boolean> {
  let [before, waited] = [Infinity, 0];
  while (waited < PATIENCE_MS) {
    const [row] = await driver.query<{ due: number }>(
      "SELECT CAST(count(*) AS bigint) AS due FROM deliveries WHERE next_at <= $1",
      [at],
    );
    const due = row?.due ?? 0;
    if (due === 0) return true;
    waited = due < before ? 0 : waited + PAUSE_MS;
    before = due;
    await setTimeout(PAUSE_MS);
  }
  return false;
}
