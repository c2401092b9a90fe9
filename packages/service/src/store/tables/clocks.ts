import type { Clock } from "../../clock.ts";
import type { Queryable } from "../driver.ts";

/**
 * Returns the time of a row's clock in milliseconds since 1970: real time for `live`, else the time of the
 * namespace's clock.
 *
 * @throws {Error} The clock does not exist: a bug, since rows refer to clocks by key.
 */
export async function instantOf(db: Queryable, clock: Clock, clockId: string): Promise<number> {
  if (clockId === "live") return clock.now();
  const [row] = await db.query<{ instant: number }>("SELECT instant FROM clocks WHERE id = $1", [
    clockId,
  ]);
  if (row === undefined) throw new Error(`clock ${clockId} not found`);
  return row.instant;
}

/** Time between two beats of a delivering process, and a little more, in milliseconds. */
const STORED_MS = 6000;

/**
 * Returns a due time on a row's clock for deliveries that are to be attempted again, in milliseconds: what the clock shows.
 * For `live` it is a little later than the due clock that a delivering process stored last: those processes then find the
 * deliveries ahead of their cursors.
 */
export async function dueInstantOf(db: Queryable, clock: Clock, clockId: string): Promise<number> {
  const sql = "SELECT instant FROM clocks WHERE id = $1";
  const [row] = await db.query<{ instant: number | null }>(sql, [clockId]);
  if (clockId !== "live" && row?.instant != null) return row.instant;
  return row?.instant == null ? clock.now() : row.instant + STORED_MS;
}

/** Makes a clock that shows `instant`, in milliseconds since 1970. */
export async function insertClock(
  tx: Queryable,
  { id, instant }: { id: string; instant: number },
): Promise<void> {
  await tx.query("INSERT INTO clocks (id, instant) VALUES ($1, $2)", [id, instant]);
}

/** Sets a namespace's clock forward. @returns `false` if it shows a later time already, and for `live`. */
export async function moveClock(
  tx: Queryable,
  { id, instant }: { id: string; instant: number },
): Promise<boolean> {
  const rows = await tx.query(
    "UPDATE clocks SET instant = $2 WHERE id = $1 AND instant <= $2 RETURNING id",
    [id, instant],
  );
  return rows.length === 1;
}
