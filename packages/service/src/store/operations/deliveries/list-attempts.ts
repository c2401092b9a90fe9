import type { Queryable } from "../../driver.ts";
import type { AttemptRow } from "./attempt-row.ts";

/** The recorded attempts of deliveries, of each in their order. */
export async function listAttempts(
  db: Queryable,
  deliveryIds: readonly string[],
): Promise<AttemptRow[]> {
  if (deliveryIds.length === 0) return [];
  const ids = deliveryIds.map((_, index) => `$${index + 1}`).join(", ");
  return db.query<AttemptRow>(
    `SELECT delivery_id AS "deliveryId", number, started_at AS "startedAt",
       duration_ms AS "durationMs", status, error, answer
     FROM attempts WHERE delivery_id IN (${ids}) ORDER BY delivery_id, number`,
    deliveryIds,
  );
}
