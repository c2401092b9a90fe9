// The read models of the inspector: what its lists and views show of one namespace. They scan its rows, which in a
// sandbox are few.
import type { SealedSecret } from "../../secrets/vault.ts";
import type { Queryable } from "../driver.ts";
import type { EventRecord } from "./deliveries.ts";

/** The state of a delivery in the page's words; an event without one is `unsent`. */
const STATUS = `CASE
  WHEN deliveries.id IS NULL OR state = 'dropped' THEN 'unsent'
  WHEN state = 'delivered' THEN 'delivered'
  WHEN state = 'exhausted' THEN 'gave_up'
  WHEN last_error IS NOT NULL OR last_status NOT BETWEEN 200 AND 299 THEN 'retrying'
  ELSE 'pending' END`;

const COLUMNS = `events.id, type, category, payload, events.created_at AS "createdAt",
  events.seq || '.' || coalesce(deliveries.seq, 0) AS cursor, deliveries.id AS "deliveryId",
  subscription_key AS "subscriptionKey", url, subscriptions.status = 'PAUSED' AS "isPaused", claimed_until > 0 AS "isClaimed",
  attempts, next_at AS "nextAt", last_status AS "lastStatus", last_error AS "lastError",
  last_duration_ms AS "lastDurationMs", last_started_at AS "lastStartedAt"`;

/** An event with one of its deliveries; with `null` in the delivery's members if it has none. */
export interface EventRow extends EventRecord {
  readonly cursor: string;
  readonly deliveryId: string | null;
  readonly subscriptionKey: string | null;
  readonly url: string | null;
  readonly isPaused: 0 | 1;
  /** 1 while an attempt is made. */
  readonly isClaimed: 0 | 1;
  readonly status: string;
  readonly attempts: number | null;
  readonly nextAt: number | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastDurationMs: number | null;
  readonly lastStartedAt: number | null;
}

/** Reads events with their deliveries: a row for each delivery, and for each event without any. */
const eventRows = (columns: string, where: string): string =>
  `SELECT ${columns}, ${STATUS} AS status FROM events
    LEFT JOIN deliveries ON deliveries.event_id = events.id
    LEFT JOIN subscriptions ON subscriptions.key = deliveries.subscription_key
    WHERE ${where}`;

/** The rows of `valuesOf`; an empty text selects everything. */
const SELECTED = `events.merchant_id = $1 AND ($2 = '' OR category = $2) AND ($3 = '' OR type = $3)
  AND ($4 = '' OR subscription_key = $4) AND events.created_at >= $5 AND ($6 = '' OR instr($6, ${STATUS}) > 0)
  AND ($7 = '' OR $7 = CASE WHEN last_error IS NOT NULL THEN 'none' ELSE substr(last_status, 1, 1) || 'xx' END)
  AND ($8 = '' OR payload LIKE $9 ESCAPE '!' OR url LIKE $9 ESCAPE '!' OR deliveries.id = $8)`;

const tabs: ReadonlyMap<string, string> = new Map([
  ["failing", "retrying gave_up"],
  ["delivered", "delivered"],
  ["unsent", "unsent"],
]);

/**
 * The values of a query: `category`, `type`, `endpoint` (a subscription's key), `from` (a time of the namespace's clock),
 * `tab`, `answer` (`2xx` to `5xx`, or `none`) and `q` (a part of the payload or URL, or a delivery's id).
 */
function valuesOf(merchantId: string, query: URLSearchParams): readonly (string | number)[] {
  const get = (name: string): string => query.get(name) ?? "";
  const [q, from] = [get("q"), Date.parse(get("from")) || 0];
  const equal = [get("category"), get("type"), get("endpoint")];
  return [merchantId, ...equal, from, tabs.get(get("tab")) ?? "", get("answer"), q, partOf(q)];
}

/** Returns the pattern of LIKE for texts that contain a text, with `!` as its escape. */
export const partOf = (text: string): string => `%${text.replaceAll(/[%_!]/g, "!$&")}%`;

/** Returns the selected event rows, newest first. @param query `before`: the last `cursor` of the page before. */
export function listEventRows(
  db: Queryable,
  { merchantId, limit }: { readonly merchantId: string; readonly limit: number },
  query: URLSearchParams,
): Promise<EventRow[]> {
  const [, event = Number.MAX_SAFE_INTEGER, delivery = 0] =
    /^(\d{1,15})\.(\d{1,15})$/.exec(query.get("before") ?? "") ?? [];
  return db.query<EventRow>(
    `${eventRows(
      COLUMNS,
      `${SELECTED} AND events.seq <= $10 AND
       (events.seq < $10 OR coalesce(deliveries.seq, 0) < $11)`,
    )} ORDER BY events.seq DESC, deliveries.seq DESC LIMIT $12`,
    [...valuesOf(merchantId, query), Number(event), Number(delivery), limit],
  );
}

/** Counts the selected event rows by their status, whatever the tab. */
export async function countEventRows(
  db: Queryable,
  merchantId: string,
  query: URLSearchParams,
): Promise<Readonly<Record<string, number>>> {
  const all = new URLSearchParams([...query].filter(([name]) => name !== "tab"));
  const rows = await db.query<{ status: string; count: number }>(
    `SELECT status, count(*) AS count FROM (${eventRows("1", SELECTED)}) GROUP BY status`,
    valuesOf(merchantId, all),
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

export async function countEvents(db: Queryable, merchantId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    "SELECT count(*) AS count FROM events WHERE merchant_id = $1",
    [merchantId],
  );
  return row?.count ?? 0;
}

/** Returns the ids of the selected deliveries of open subscriptions, oldest first. */
export async function listResendable(
  db: Queryable,
  { merchantId, limit }: { readonly merchantId: string; readonly limit: number },
  query: URLSearchParams,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `${eventRows("deliveries.id", `${SELECTED} AND subscriptions.status <> 'CLOSED'`)}
     ORDER BY deliveries.seq LIMIT $10`,
    [...valuesOf(merchantId, query), limit],
  );
  return rows.map(({ id }) => id);
}

/** Returns an event's rows with the secrets of its subscriptions, at most 100. */
export function findEventRows(
  db: Queryable,
  merchantId: string,
  eventId: string,
): Promise<(EventRow & SealedSecret)[]> {
  return db.query<EventRow & SealedSecret>(
    `${eventRows(
      `${COLUMNS}, secret AS text, secret_key_id AS "keyId"`,
      "events.merchant_id = $1 AND events.id = $2",
    )} ORDER BY deliveries.seq LIMIT 100`,
    [merchantId, eventId],
  );
}

/** The values that an attempt's signature covers, and its subscription's secret. */
export interface MadeAttempt extends SealedSecret, Pick<EventRecord, "id" | "payload"> {
  /** Of the subscription. */
  readonly key: string;
  readonly url: string;
  /** Real time, in milliseconds; `null` if the attempt was not made. */
  readonly startedAt: number | null;
}

/** @param attempt Its number, from 1. */
export async function findMadeAttempt(
  db: Queryable,
  merchantId: string,
  { deliveryId, attempt }: { readonly deliveryId: string; readonly attempt: number },
): Promise<MadeAttempt | undefined> {
  const [made] = await db.query<MadeAttempt>(
    `SELECT events.id, payload, subscriptions.key, url, secret AS text, secret_key_id AS "keyId",
       started_at AS "startedAt"
     FROM deliveries JOIN events ON events.id = deliveries.event_id
     JOIN subscriptions ON subscriptions.key = deliveries.subscription_key
     LEFT JOIN attempts ON attempts.delivery_id = deliveries.id AND number = $3
     WHERE deliveries.merchant_id = $1 AND deliveries.id = $2`,
    [merchantId, deliveryId, attempt],
  );
  return made;
}

/** Counts the deliveries of each subscription by their state. */
export function countDeliveries(
  db: Queryable,
  merchantId: string,
): Promise<{ key: string; state: string; count: number }[]> {
  return db.query(
    `SELECT subscription_key AS key, state, count(*) AS count FROM deliveries
      WHERE merchant_id = $1 GROUP BY 1, 2`,
    [merchantId],
  );
}

interface Hit {
  readonly kind: "event" | "payment" | "customer" | "endpoint";
  readonly id: string;
  readonly title: string;
}

/** Finds records by an id, a part of one, a name or a URL: at most 5 of each kind. */
export async function searchRecords(
  db: Queryable,
  merchantId: string,
  wanted: string,
): Promise<readonly Hit[]> {
  // An exact id by its index; else a scan for the text.
  const isId = /^(?:evt|dlv|pay|ref|cus|sub)_\w{8,}$/.test(wanted);
  const isDelivery = isId && wanted.startsWith("dlv_");
  const find = (rows: string, ...columns: readonly string[]): string => {
    const tests = columns.map((one) => (isId ? `${one} = $2` : `${one} LIKE $2 ESCAPE '!'`));
    return `SELECT ${rows} WHERE merchant_id = $1 AND (${tests.join(" OR ")}) ORDER BY seq DESC LIMIT 5`;
  };
  const payments = "'payment' AS kind, id, direction || ' ' || status AS title FROM payments";
  const name = "first_name || ' ' || last_name";
  const queries = [
    find(payments, "id", "request_key", "coalesce(client_reference_id, '')"),
    find(`'customer' AS kind, id, ${name} AS title FROM customers`, "id", name, "email"),
    find("'endpoint' AS kind, key AS id, url AS title FROM subscriptions", "key", "url"),
    isDelivery
      ? find("'event' AS kind, event_id AS id, state AS title FROM deliveries", "id")
      : find("'event' AS kind, id, type AS title FROM events", "id", ...(isId ? [] : ["payload"])),
  ];
  const params = [merchantId, isId ? wanted : partOf(wanted)];
  return (await Promise.all(queries.map((sql) => db.query<Hit>(sql, params)))).flat();
}

/** A refund or attempt that is due next. */
export interface NextDue {
  readonly kind: "refund" | "attempt";
  /** Of the refund, or of the attempt's event. */
  readonly id: string;
  /** Time of the namespace's clock, in milliseconds. */
  readonly at: number;
  readonly what: string;
}

export async function findNextDue(db: Queryable, merchantId: string): Promise<NextDue | undefined> {
  const [first] = await db.query<NextDue>(
    `SELECT * FROM (
     SELECT 'refund' AS kind, id, due_at AS at, 'refund' AS what FROM payments
      WHERE merchant_id = $1 AND due_at IS NOT NULL AND direction = 'CREDIT'
     UNION ALL
     SELECT 'attempt', deliveries.event_id, next_at, events.type
       FROM deliveries JOIN subscriptions ON subscriptions.key = deliveries.subscription_key
       JOIN events ON events.id = deliveries.event_id
      WHERE deliveries.merchant_id = $1 AND next_at IS NOT NULL AND subscriptions.status = 'ACTIVE')
     ORDER BY at LIMIT 1`,
    [merchantId],
  );
  return first;
}

/** Returns the events whose payload has one of the texts, oldest first, at most 1000. */
export function listEventsWith(
  db: Queryable,
  merchantId: string,
  texts: readonly string[],
): Promise<EventRecord[]> {
  const tests = texts.map((_, index) => `instr(payload, $${index + 2}) > 0`);
  return db.query<EventRecord>(
    `SELECT id, type, category, payload, created_at AS "createdAt" FROM events
      WHERE merchant_id = $1 AND (${tests.join(" OR ")}) ORDER BY seq LIMIT 1000`,
    [merchantId, ...texts],
  );
}
