import type {
  DeliveryStore,
  DueDelivery,
  Endpoint,
  Member,
  ReadRequest,
  ReadResult,
} from "../../delivery/types.ts";
import { type Driver, type Queryable, type Sql, givenRows, rowsParameter } from "../driver.ts";
import { completeDeliveries } from "./completions.ts";

/** The queue of deliveries in a database, and the leases of its endpoints. */
export function deliveryStore(driver: Driver): DeliveryStore {
  // Whoever is in the table of a database without other processes has ended.
  let forgets = driver.isAlone;
  return {
    join: async (id) => {
      await driver.transaction((tx) => join(tx, id, forgets));
      forgets = false;
    },
    beat: (beat) => driver.transaction((tx) => writeBeat(tx, beat), { isDurable: false }),
    remove: (member) => driver.transaction((tx) => remove(tx, member)),
    take: (id, wanted) => driver.transaction((tx) => take(tx, id, wanted)),
    release: (id, keys) => driver.transaction((tx) => release(tx, id, keys)),
    read: (requests, bounds) => read(driver, requests, bounds),
    complete: (completions, { pause }) =>
      driver.transaction((tx) => completeDeliveries(tx, completions, pause)),
  };
}

async function join(tx: Queryable, id: string, forgets: boolean): Promise<void> {
  // The leases of no member are free.
  if (forgets) await tx.query("DELETE FROM delivery_members");
  // It is there already if an earlier call was stored, but not answered.
  const insert = "INSERT INTO delivery_members (id, beat) VALUES ($1, 0) ON CONFLICT DO NOTHING";
  await tx.query(insert, [id]);
}

async function writeBeat(
  tx: Queryable,
  { id, beat, now }: Parameters<DeliveryStore["beat"]>[0],
): Promise<{ members: Member[]; now: number }> {
  await tx.query("UPDATE delivery_members SET beat = $2 WHERE id = $1", [id, beat]);
  const [clock] = await tx.query<{ instant: number }>(
    `UPDATE clocks SET instant = CASE WHEN instant > $1 THEN instant ELSE $1 END
     WHERE id = 'live' RETURNING instant`,
    [now],
  );
  const members = await tx.query<Member>(
    `SELECT id, beat, (SELECT CAST(count(*) AS bigint) FROM endpoint_leases
       WHERE endpoint_leases.member = delivery_members.id) AS endpoints
     FROM delivery_members`,
  );
  return { members, now: clock?.instant ?? now };
}

async function remove(
  tx: Queryable,
  { id, beat }: Parameters<DeliveryStore["remove"]>[0],
): Promise<void> {
  const removed = await tx.query(
    `DELETE FROM delivery_members WHERE id = $1 AND beat = COALESCE(CAST($2 AS bigint), beat)
     RETURNING id`,
    [id, beat ?? null],
  );
  // The leases of no member are free; this only saves the room.
  if (removed.length > 0) await tx.query("DELETE FROM endpoint_leases WHERE member = $1", [id]);
}

const FREE = `NOT EXISTS (SELECT 1 FROM endpoint_leases JOIN delivery_members
    ON delivery_members.id = endpoint_leases.member
    WHERE endpoint_leases.subscription_key = subscriptions.key)`;

const TAKE_NAMED = givenRows(
  { key: "text" },
  (rows) => `SELECT subscriptions.key FROM subscriptions
    WHERE key IN (SELECT key FROM (${rows}) AS named) AND status = 'ACTIVE' AND ${FREE}`,
);

// The subscriptions come first: those that are leased have the long queues, and are not looked into.
const TAKE_DUE = `SELECT subscriptions.key
  FROM subscriptions JOIN clocks ON clocks.id = subscriptions.clock_id
  WHERE status = 'ACTIVE' AND ($2 = '' OR clock_id = $2) AND ${FREE}
    AND EXISTS (SELECT 1 FROM deliveries WHERE subscription_key = subscriptions.key
      AND next_at <= CASE WHEN clocks.id = 'live' THEN $1 ELSE clocks.instant END)
  LIMIT $3`;

// Two processes that find the same endpoint free: the second one waits, and sees that it is leased.
const LEASE = givenRows(
  { key: "text" },
  (rows) => `INSERT INTO endpoint_leases (subscription_key, member)
    SELECT key, CAST($2 AS text) FROM (${rows}) AS free WHERE true ORDER BY key
    ON CONFLICT (subscription_key) DO UPDATE SET member = excluded.member
      WHERE NOT EXISTS (SELECT 1 FROM delivery_members WHERE id = endpoint_leases.member)
    RETURNING subscription_key AS key`,
);

const ENDPOINTS = givenRows(
  { key: "text" },
  (rows) => `SELECT key, merchant_id AS "merchantId", clock_id AS "clockId", url, secret AS text,
      COALESCE(secret_key_id, '') AS "keyId"
    FROM subscriptions WHERE key IN (SELECT key FROM (${rows}) AS leased)`,
);

type EndpointRow = Omit<Endpoint, "secret"> & Endpoint["secret"];
type Key = { readonly key: string };

async function take(
  tx: Queryable,
  id: string,
  wanted: Parameters<DeliveryStore["take"]>[1],
): Promise<Endpoint[]> {
  if (wanted === "own") {
    const own = "SELECT subscription_key AS key FROM endpoint_leases WHERE member = $1";
    return endpointsOf(tx, await tx.query<Key>(own, [id]));
  }
  const free =
    "keys" in wanted
      ? await tx.query<Key>(TAKE_NAMED, [keysParameter(wanted.keys)])
      : await tx.query<Key>(TAKE_DUE, [wanted.dueBy, wanted.clockId ?? "", wanted.most]);
  if (free.length === 0) return [];
  return endpointsOf(
    tx,
    await tx.query<Key>(LEASE, [keysParameter(free.map(({ key }) => key)), id]),
  );
}

async function endpointsOf(tx: Queryable, leased: readonly Key[]): Promise<Endpoint[]> {
  if (leased.length === 0) return [];
  const keys = keysParameter(leased.map(({ key }) => key));
  const rows = await tx.query<EndpointRow>(ENDPOINTS, [keys]);
  return rows.map(({ keyId, text, ...row }) => ({ ...row, secret: { keyId, text } }));
}

const RELEASE = givenRows(
  { key: "text" },
  (rows) => `DELETE FROM endpoint_leases WHERE member = $2
    AND subscription_key IN (SELECT key FROM (${rows}) AS released)`,
);

async function release(tx: Queryable, id: string, keys: readonly string[]): Promise<void> {
  await tx.query(RELEASE, [keysParameter(keys), id]);
}

const keysParameter = (keys: readonly string[]): string =>
  rowsParameter(keys.map((key) => ({ key })));

interface DueRow extends DueDelivery {
  readonly key: string;
  readonly now: number;
  readonly behind: number | null;
}

/** By the number of deliveries, which is part of the text: for a parameter PostgreSQL expects a tenth of the table. */
const reads = new Map<number, Sql>();

async function read(
  db: Queryable,
  requests: readonly ReadRequest[],
  { now, most }: { readonly now: number; readonly most: number },
): Promise<ReadResult[]> {
  // A few sizes of statement are prepared once each.
  const count = 2 ** Math.floor(Math.log2(most));
  let statement = reads.get(count);
  if (statement === undefined) reads.set(count, (statement = readStatement(count)));
  const rows = requests.map(({ endpoint: { key }, after }) => ({
    key,
    after_at: after.nextAt,
    after_seq: after.seq,
  }));
  const found = await db.query<DueRow>(statement, [rowsParameter(rows), now]);
  const results = new Map<string, ReadResult & { readonly due: DueDelivery[] }>();
  for (const { key, now: at, behind, id, eventId, seq, nextAt, attempts, payload } of found) {
    let result = results.get(key);
    if (result === undefined) {
      result = { key, now: at, due: [], nextAt: behind ?? undefined, isWhole: true };
      results.set(key, result);
    }
    // An endpoint without due deliveries has one row without a delivery.
    if (id !== null) result.due.push({ id, eventId, seq, nextAt, attempts, payload });
  }
  return [...results.values()].map((result) => ({ ...result, isWhole: result.due.length < count }));
}

/**
 * Reads each queue forward from its cursor: entries of rows that are done lie before it and cost nothing, also while a
 * snapshot keeps them. MATERIALIZED has `behind` looked up once for each queue, not for each delivery. Only PostgreSQL
 * joins a query that refers to the row next to it; only SQLite repeats one in a list for each row.
 */
function readStatement(count: number): Sql {
  const due = `FROM deliveries
    WHERE subscription_key = open.key AND (next_at, seq) > (open.after_at, open.after_seq)
      AND next_at <= open.now
    ORDER BY next_at, seq LIMIT ${count}`;
  const columns = `open.key, open.now, open.behind, due.id, due.event_id AS "eventId", due.seq,
    due.next_at AS "nextAt", due.attempts,
    (SELECT payload FROM events WHERE events.id = due.event_id) AS payload`;
  const open = (rows: string): string => `WITH asked AS (${rows}), clocked AS (
      SELECT asked.key, after_at, after_seq,
        CASE WHEN clocks.id = 'live' THEN CAST($2 AS bigint) ELSE clocks.instant END AS now
      FROM asked JOIN subscriptions ON subscriptions.key = asked.key
        JOIN clocks ON clocks.id = subscriptions.clock_id
      WHERE subscriptions.status = 'ACTIVE'
    ), open AS MATERIALIZED (
      SELECT key, after_at, after_seq, now, (SELECT next_at FROM deliveries
        WHERE subscription_key = clocked.key AND next_at > clocked.now
        ORDER BY next_at LIMIT 1) AS behind
      FROM clocked
    )`;
  const given = { key: "text", after_at: "bigint", after_seq: "bigint" } as const;
  const { sqlite } = givenRows(
    given,
    (rows) => `${open(rows)} SELECT ${columns} FROM open LEFT JOIN deliveries AS due
      ON due.seq IN (SELECT seq ${due}) ORDER BY open.key, due.next_at, due.seq`,
  );
  const { postgres } = givenRows(
    given,
    (rows) => `${open(rows)} SELECT ${columns} FROM open
      LEFT JOIN LATERAL (SELECT id, event_id, seq, next_at, attempts ${due}) AS due ON true
      ORDER BY open.key, due.next_at, due.seq`,
  );
  return { sqlite, postgres };
}
