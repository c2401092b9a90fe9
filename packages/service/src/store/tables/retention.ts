import { type Queryable, type Sql, givenRows, rowsParameter } from "../driver.ts";

/** Part of a merchant's events, in the order in which they were written. */
export interface PurgeRange {
  readonly merchantId: string;
  /** The place after which the range begins. */
  readonly after: number;
  /** The time before which events were written and deliveries attempted, in milliseconds. */
  readonly before: number;
  /** Events that are looked at. */
  readonly limit: number;
}

export interface Purged {
  readonly events: number;
  /** The place from which the next call goes on; `undefined` if nothing old is left. */
  readonly after: number | undefined;
}

/**
 * A row that a caller has locked is left for the next round, and nothing else is waited for. Each table is read by its
 * index: PostgreSQL would choose to read the whole of one that was not analyzed since it grew.
 */
const SETTINGS: Sql = {
  sqlite: "SELECT 1",
  postgres: `SET LOCAL lock_timeout = 100; SET LOCAL jit = off; SET LOCAL enable_seqscan = off;
    SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off`,
};

/** A statement about given ids. PostgreSQL looks each of an array up in the index; of `IN` it may make a join. */
const given = (write: (isGiven: string) => string): Sql => {
  const { sqlite, postgres } = givenRows({ id: "text" }, (rows) => rows);
  return { sqlite: write(`IN (${sqlite})`), postgres: write(`= ANY (ARRAY(${postgres}))`) };
};
const idsParameter = (ids: Iterable<string>): string =>
  rowsParameter([...ids].map((id) => ({ id })));

const DELIVERIES = given(
  (isGiven) => `SELECT id, event_id AS "eventId", state, last_started_at AS "lastStartedAt",
      (SELECT count(*) FROM deliveries AS siblings
        WHERE siblings.event_id = deliveries.event_id) AS siblings
    FROM deliveries WHERE event_id ${isGiven} FOR UPDATE SKIP LOCKED`,
);
const DELETE_ATTEMPTS = given(
  (isGiven) => `DELETE FROM earlier_attempts WHERE delivery_id ${isGiven}`,
);
const DELETE_DELIVERIES = given((isGiven) => `DELETE FROM deliveries WHERE id ${isGiven}`);
// An event without deliveries that could be locked may have some.
const DELETE_EVENTS = given(
  (isGiven) => `DELETE FROM events WHERE id ${isGiven}
    AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = events.id) RETURNING id`,
);

interface DeliveryRow {
  readonly id: string;
  readonly eventId: string;
  readonly state: string;
  readonly lastStartedAt: number | null;
  readonly siblings: number;
}

/** Deletes old events whose deliveries are all finished, with those deliveries and their attempts. */
export async function purgeEvents(tx: Queryable, range: PurgeRange): Promise<Purged> {
  const { merchantId, after, before, limit } = range;
  await tx.query(SETTINGS);
  const events = await tx.query<{ id: string; seq: number; at: number }>(
    `SELECT id, seq, created_at AS at FROM events WHERE merchant_id = $1 AND seq > $2
      ORDER BY seq LIMIT $3`,
    [merchantId, after, limit],
  );
  const old = events.filter(({ at }) => at < before).map(({ id }) => id);
  if (old.length === 0) return { events: 0, after: undefined };
  const rows = await tx.query<DeliveryRow>(DELIVERIES, [idsParameter(old)]);
  const finished = finishedOf(old, rows, before);
  const deliveries = rows.filter(({ eventId }) => finished.has(eventId)).map(({ id }) => id);
  await tx.query(DELETE_ATTEMPTS, [idsParameter(deliveries)]);
  await tx.query(DELETE_DELIVERIES, [idsParameter(deliveries)]);
  const deleted = await tx.query(DELETE_EVENTS, [idsParameter(finished)]);
  const last = events.length < limit ? undefined : events.at(-1)?.seq;
  return { events: deleted.length, after: last };
}

/** @param rows The events' deliveries, as far as no call has locked them. @returns The events that may go. */
function finishedOf(
  ids: readonly string[],
  rows: readonly DeliveryRow[],
  before: number,
): Set<string> {
  const seen = new Map<string, number>();
  const finished = new Set(ids);
  for (const { eventId } of rows) seen.set(eventId, (seen.get(eventId) ?? 0) + 1);
  for (const { eventId, state, lastStartedAt, siblings } of rows) {
    const isOver = state !== "waiting" && (lastStartedAt ?? 0) < before;
    if (!isOver || seen.get(eventId) !== siblings) finished.delete(eventId);
  }
  return finished;
}
