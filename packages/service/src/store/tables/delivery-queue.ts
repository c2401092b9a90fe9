import type {
  ClaimedBatch,
  ClaimRequest,
  ClaimTimes,
  DeliveryStore,
  ClaimedDelivery,
  DueQueue,
  Endpoint,
  Place,
} from "../../delivery/types.ts";
import { type Driver, type Queryable, type Sql, givenRows, rowsParameter } from "../driver.ts";
import { recordAttempts } from "./attempt-records.ts";

/**
 * The queue of deliveries in a database. A process claims a row by writing until when (`claimed_until`), attempts the
 * delivery, and records the attempt; a claim that ends by itself is that of a process that died.
 */
export function deliveryStore(driver: Driver): DeliveryStore {
  // Whoever has claimed rows of a database without other processes has ended.
  let forgets = driver.isAlone;
  return {
    keepTime: async (now) => {
      const latest = await driver.transaction((tx) => keepTime(tx, now, forgets), UNFLUSHED);
      forgets = false;
      return latest;
    },
    findDue: (times) => findDue(driver, { ...times, clockId: "" }),
    findDueOf: (clockId) => findDue(driver, { now: 0, leaseMs: 0, clockId }),
    // A crash of the server only frees what was claimed last.
    claim: (requests, times) =>
      driver.transaction(
        (tx) => claim(tx, requests, { ...times, each: driver.isAlone }),
        UNFLUSHED,
      ),
    release: async (claimed) => {
      const rows = claimed.map(({ id, claimedUntil }) => ({ id, claimedUntil }));
      await driver.transaction((tx) => tx.query(RELEASE, [rowsParameter(rows)]));
    },
    record: (attempts, { pause }) =>
      driver.transaction((tx) => recordAttempts(tx, attempts, pause)),
  };
}

const UNFLUSHED = { isDurable: false } as const;

async function keepTime(tx: Queryable, now: number, forgets: boolean): Promise<number> {
  const [clock] = await tx.query<{ instant: number }>(
    `UPDATE clocks SET instant = CASE WHEN instant > $1 THEN instant ELSE $1 END
     WHERE id = 'live' RETURNING instant`,
    [now],
  );
  const latest = clock?.instant ?? now;
  if (forgets) await tx.query(FORGET, [latest]);
  return latest;
}

/** The clock of claims: the server's, or that of the one process that can have the file. */
const CLAIM_CLOCK = {
  sqlite: "CAST($1 AS bigint)",
  postgres: "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)",
} as const;
type Dialect = keyof typeof CLAIM_CLOCK;

function byClaimClock(write: (now: string, dialect: Dialect) => string): Sql {
  const of = (dialect: Dialect): string => write(CLAIM_CLOCK[dialect], dialect);
  return { sqlite: of("sqlite"), postgres: of("postgres") };
}

/** The instant of a row's clock. */
const INSTANT = "CASE WHEN clocks.id = 'live' THEN CAST($1 AS bigint) ELSE clocks.instant END";
/**
 * Only what is due is claimed: what is due later is not looked at, since there may be a million. `CROSS JOIN` keeps SQLite
 * from another order.
 */
const FORGET = `UPDATE deliveries SET claimed_until = 0 WHERE id IN (
  SELECT deliveries.id FROM subscriptions JOIN clocks ON clocks.id = subscriptions.clock_id
    CROSS JOIN deliveries
  WHERE subscription_key = subscriptions.key AND next_at <= ${INSTANT} AND claimed_until > 0)`;
/**
 * A claim that ends further ahead than two leases was made before the clock was set back; one lease is too little, since
 * another process may have read the clock later than this one.
 */
const isFree = (now: string, leaseMs: string): string =>
  `claimed_until NOT BETWEEN ${now} + 1 AND ${now} + 2 * ${leaseMs}`;

// The subscriptions come first: each costs one step of the index, however long its queue is.
const DUE = byClaimClock(
  (
    now,
  ) => `SELECT subscriptions.key, subscriptions.merchant_id AS "merchantId", url, due.next_at AS "nextAt", due.seq
  FROM subscriptions JOIN clocks ON clocks.id = subscriptions.clock_id
    JOIN deliveries AS due ON due.id = (SELECT id FROM deliveries
      WHERE subscription_key = subscriptions.key AND next_at <= ${INSTANT}
        AND ($3 <> '' OR ${isFree(now, "CAST($2 AS bigint)")})
      ORDER BY next_at, seq LIMIT 1)
  WHERE subscriptions.status = 'ACTIVE' AND ($3 = '' OR subscriptions.clock_id = $3)`,
);

async function findDue(
  db: Queryable,
  { now, leaseMs, clockId }: ClaimTimes & { readonly clockId: string },
): Promise<DueQueue[]> {
  const rows = await db.query<Omit<DueQueue, "first"> & Place>(DUE, [now, leaseMs, clockId]);
  return rows.map(({ nextAt, seq, ...queue }) => ({ ...queue, first: { nextAt, seq } }));
}

const ENDPOINTS = givenRows(
  { key: "text" },
  (rows) => `SELECT subscriptions.key, merchant_id AS "merchantId", clock_id AS "clockId", url,
     secret AS text, secret_key_id AS "keyId", ${INSTANT.replace("$1", "$2")} AS instant
   FROM (${rows}) AS asked JOIN subscriptions ON subscriptions.key = asked.key
     JOIN clocks ON clocks.id = subscriptions.clock_id`,
);

type EndpointRow = Omit<Endpoint, "secret"> & Endpoint["secret"] & { readonly instant: number };

/**
 * The index is read forward from a place: entries of rows that are done lie before it and cost nothing, also while a
 * snapshot keeps them. PostgreSQL claims for all requests in one statement, which makes a third more deliveries (`pnpm bench
 * delivery`) than one for each; SQLite has no LATERAL, and gets one request.
 */
const CLAIM = byClaimClock((now, dialect) => {
  const lease = "CAST($2 AS bigint)";
  const due = (asked: (column: string) => string): string =>
    `SELECT id FROM deliveries WHERE subscription_key = ${asked("key")}
       AND (next_at, seq) > (${asked("next_at")}, ${asked("seq")})
       AND next_at <= (SELECT ${INSTANT} FROM subscriptions
         JOIN clocks ON clocks.id = subscriptions.clock_id
         WHERE subscriptions.key = ${asked("key")} AND status = 'ACTIVE')
       AND ${isFree(now, lease)}
     ORDER BY next_at, seq LIMIT ${asked("most")}`;
  const chosen = {
    sqlite: `IN (${due((column) => `(SELECT ${column} FROM asked)`)})`,
    postgres: `= ANY (ARRAY(SELECT id FROM asked CROSS JOIN LATERAL (
       ${due((column) => `asked.${column}`)} FOR UPDATE SKIP LOCKED) AS due))`,
  };
  return givenRows(
    { key: "text", nextAt: "bigint", seq: "bigint", most: "bigint" },
    (rows) => `WITH asked AS (${rows.replace("$1", "$3")})
    UPDATE deliveries SET claimed_until = ${now} + ${lease} WHERE id ${chosen[dialect]}
    RETURNING id, event_id AS "eventId", subscription_key AS key, seq, next_at AS "nextAt",
      attempts, claimed_until AS "claimedUntil",
      (SELECT payload FROM events WHERE events.id = event_id) AS payload`,
  )[dialect];
});

/** PostgreSQL would plan a claim anew each time, or compile it for a long queue, which takes longer than to run it. */
const PLANNED_ONCE: Sql = {
  sqlite: "SELECT 1",
  postgres: "SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL jit = off",
};

type ClaimedRow = ClaimedDelivery & { readonly key: string };

/** @param times `each`: a statement for each request (see `CLAIM`). */
async function claim(
  tx: Queryable,
  requests: readonly ClaimRequest[],
  { now, leaseMs, each }: ClaimTimes & { readonly each: boolean },
): Promise<(ClaimedBatch | undefined)[]> {
  const asked = requests.map(({ key, after, most }) => ({ key, ...after, most }));
  const statements = each ? asked.map((one) => [one]) : [asked];
  // PostgreSQL gets all of them at once, and answers in their order.
  const [, endpoints, ...claimed] = await Promise.all([
    tx.query(PLANNED_ONCE),
    tx.query<EndpointRow>(ENDPOINTS, [rowsParameter(asked), now]),
    ...statements.map((rows) => tx.query<ClaimedRow>(CLAIM, [now, leaseMs, rowsParameter(rows)])),
  ]);
  const byKey = Map.groupBy(claimed.flat(), ({ key }) => key);
  const endpointOf = new Map(endpoints.map((row) => [row.key, row]));
  return requests.map(({ key }) => {
    const row = endpointOf.get(key);
    if (row === undefined) return undefined;
    const { keyId, text, instant, ...rest } = row;
    const deliveries = (byKey.get(key) ?? []).toSorted(
      (one, other) => one.nextAt - other.nextAt || one.seq - other.seq,
    );
    return { endpoint: { ...rest, secret: { keyId, text } }, instant, deliveries };
  });
}

const RELEASE = givenRows(
  { id: "text", claimedUntil: "bigint" },
  (rows) => `WITH released AS (${rows})
    UPDATE deliveries SET claimed_until = 0 FROM released
    WHERE deliveries.id = released.id AND deliveries.claimed_until = released.claimed_until`,
);
