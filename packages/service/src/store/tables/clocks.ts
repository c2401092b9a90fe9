import type { Clock } from "../../clock.ts";
import { insertRow, updateRow, type Queryable } from "../driver.ts";
import type { Merchant } from "./merchants.ts";

/** Returns the time of a row's clock in milliseconds since 1970: real time for `live`, else the namespace's. */
export const instantOf = async (db: Queryable, clock: Clock, clockId: string): Promise<number> =>
  clockId === "live" ? clock.now() : dueInstantOf(db, clock, clockId);

/** The same for deliveries that are to be attempted now: for `live` the due clock that a process stored last. */
export async function dueInstantOf(db: Queryable, clock: Clock, clockId: string): Promise<number> {
  const sql = "SELECT instant FROM clocks WHERE id = $1";
  const [row] = await db.query<{ instant: number | null }>(sql, [clockId]);
  return row?.instant ?? clock.now();
}

/** A clock that shows an instant, in milliseconds since 1970. */
interface SetClock {
  readonly id: string;
  readonly instant: number;
}

export async function insertClock(tx: Queryable, { id, instant }: SetClock): Promise<void> {
  await insertRow(tx, "clocks", { id, instant });
}

/** Sets a namespace's clock forward, unless it shows a later time already. */
export async function moveClock(tx: Queryable, { id, instant }: SetClock): Promise<void> {
  await tx.query("UPDATE clocks SET instant = $2 WHERE id = $1 AND instant <= $2", [id, instant]);
}

/** Rows before those that they refer to; of payments the refunds before the debits. */
const DELETIONS = [
  "earlier_attempts WHERE delivery_id IN (SELECT id FROM deliveries WHERE merchant_id = $1)",
  "deliveries WHERE merchant_id = $1",
  "events WHERE merchant_id = $1",
  "subscriptions WHERE merchant_id = $1",
  "payments WHERE merchant_id = $1 AND direction = 'CREDIT'",
  "payments WHERE merchant_id = $1",
  "accounts WHERE merchant_id = $1",
  "customers WHERE merchant_id = $1",
];

/**
 * Deletes everything of a namespace except the merchant, its clients and its tokens, and sets its clock. Only
 * here can a clock go back: no record has a later time.
 */
export async function emptyNamespace(
  tx: Queryable,
  merchant: Merchant,
  instant: number,
): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop -- in the order of the list, in one transaction
  for (const rows of DELETIONS) await tx.query(`DELETE FROM ${rows}`, [merchant.id]);
  await updateRow(tx, "clocks", { key: { id: merchant.clockId }, set: { instant } });
}
