import type { Queryable } from "../../driver.ts";

/** Makes a clock that stands at `instant`, in milliseconds since 1970. */
export async function insertClock(
  tx: Queryable,
  { id, instant }: { id: string; instant: number },
): Promise<void> {
  await tx.query("INSERT INTO clocks (id, instant) VALUES ($1, $2)", [id, instant]);
}
