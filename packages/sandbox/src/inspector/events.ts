import { valueAt } from "@countersign/schemas";
import { senderOf, type SentEvent } from "@countersign/schemas/provider-of";
import {
  flag,
  isObject,
  list,
  listAttempts,
  optional,
  replayDeliveries,
  text,
  writtenTime,
  type Call,
  type EventRecord,
  type Routes,
  type SealedSecret,
} from "@countersign/service/internal";
import { refuse } from "../refusals.ts";
import { get, parameter, post, queryOf } from "../routes/call.ts";
import { shownAttempt, shownEvent, timeOrNull } from "../shown.ts";
import { EVENT_ROWS, eventFilter, pageOf, partOf } from "./event-filter.ts";
import { pairOutcomes, type Outcomes } from "./outcomes.ts";
import { sentRequest, type SigningParts } from "./signatures.ts";
import type { Wires } from "./wires.ts";

/** Maximum number of deliveries that one call resends. */
const MAX_RESENT = 1000;

interface DeliveryColumns {
  readonly deliveryId: string | null;
  readonly subscriptionKey: string | null;
  readonly url: string | null;
  readonly isPaused: 0 | 1;
  readonly state: string | null;
  readonly status: string;
  readonly attempts: number | null;
  readonly nextAt: number | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastDurationMs: number | null;
  readonly lastStartedAt: number | null;
}

interface Row extends EventRecord, DeliveryColumns {
  readonly cursor: string;
}

const COLUMNS = `events.id, type, category, payload, events.created_at AS "createdAt",
  events.seq || '.' || coalesce(deliveries.seq, 0) AS cursor, deliveries.id AS "deliveryId",
  subscription_key AS "subscriptionKey", url, subscriptions.status = 'PAUSED' AS "isPaused", state,
  attempts, next_at AS "nextAt", last_status AS "lastStatus", last_error AS "lastError",
  last_duration_ms AS "lastDurationMs", last_started_at AS "lastStartedAt"`;

/** @param parts `wires` and `outcomes`: what is known beyond the store. */
export function inspectedEventRoutes(
  signing: SigningParts,
  { outcomes, wires }: { readonly outcomes: Outcomes; readonly wires: Wires },
): Routes {
  const { catalogue, envelope } = senderOf(signing.profile);
  const subjectOf = subjectReader(catalogue);
  const shownRow = ({ payload, createdAt, ...row }: Row): object => ({
    ...row,
    status: row.status === "pending" && wires.isSending(row.url, payload) ? "sending" : row.status,
    isPaused: row.isPaused === 1,
    nextAt: timeOrNull(row.nextAt),
    lastStartedAt: timeOrNull(row.lastStartedAt),
    subject: subjectOf({ type: row.type, payload }),
    amount: amountIn(payload, envelope.data),
    timestamp: writtenTime(createdAt),
  });
  return {
    "/sandbox/inspect/events": [
      // One row for each delivery, and one for each event without any; the newest first. With the counts of the tabs.
      get(async (call) => {
        const query = queryOf(call);
        const { driver } = call.context;
        const { limit, after } = pageOf(call);
        const { status, where, params } = eventFilter(query, call.merchant.id);
        const counted = driver.query<{ status: string; count: number }>(
          `SELECT status, count(*) AS count FROM (${EVENT_ROWS("1", where)}) GROUP BY status`,
          params,
        );
        const total = driver.query<{ count: number }>(
          "SELECT count(*) AS count FROM events WHERE merchant_id = $1",
          [call.merchant.id],
        );
        const [event, delivery] = after;
        const place = params.length;
        const rows = await driver.query<Row>(
          `${EVENT_ROWS(
            COLUMNS,
            `${where} AND events.seq <= $${place + 1} AND ${status} AND
             (events.seq < $${place + 1} OR coalesce(deliveries.seq, 0) < $${place + 2})`,
          )} ORDER BY events.seq DESC, deliveries.seq DESC LIMIT $${place + 3}`,
          [...params, event, delivery, limit],
        );
        const counts = (await counted).map((row) => [row.status, row.count] as const);
        return {
          rows: rows.map(shownRow),
          counts: Object.fromEntries(counts),
          total: (await total)[0]?.count ?? 0,
          before: rows.length === limit ? rows.at(-1)?.cursor : null,
        };
      }),
    ],
    "/sandbox/inspect/resend": [
      // Deliveries by id, or those of the list's query; with `countOnly` it counts them and sends none.
      post(
        200,
        {
          deliveryIds: optional(list(text(64), MAX_RESENT)),
          query: optional(text(4000, { min: 0 })),
          countOnly: optional(flag),
        },
        async ({ context, merchant }, { deliveryIds, query = "", countOnly = false }) => {
          const { status, where, params } = eventFilter(new URLSearchParams(query), merchant.id);
          const ids =
            deliveryIds ??
            (
              await context.driver.query<{ id: string }>(
                `${EVENT_ROWS("deliveries.id", `${where} AND ${status} AND subscriptions.status <> 'CLOSED'`)}
                 ORDER BY deliveries.seq LIMIT ${String(MAX_RESENT)}`,
                params,
              )
            ).map(({ id }) => id);
          if (countOnly) return { count: ids.length };
          let count = 0;
          for (const id of ids) {
            const what = { kind: "delivery", id } as const;
            const order = { what, merchantId: merchant.id };
            // oxlint-disable-next-line no-await-in-loop -- in the order of the list
            if ((await replayDeliveries(context, order)).ok) count += 1;
          }
          return { count };
        },
      ),
    ],
    "/sandbox/inspect/events/:eventId": [
      // With its deliveries, and their attempts with requests, responses and reported outcomes.
      get(async (call) => {
        const { driver } = call.context;
        const eventId = parameter(call, "eventId");
        const rows = await driver.query<Row & SealedSecret>(
          `${EVENT_ROWS(
            `${COLUMNS}, secret AS text, secret_key_id AS "keyId"`,
            "events.merchant_id = $1 AND events.id = $2",
          )} ORDER BY deliveries.seq LIMIT 100`,
          [call.merchant.id, eventId],
        );
        const [event] = rows;
        if (event === undefined) throw refuse("NOT_FOUND");
        const ids = rows.flatMap(({ deliveryId }) => deliveryId ?? []);
        const made = (await listAttempts(driver, ids)).map((attempt) => {
          const known = wires.find(attempt.deliveryId, attempt.number);
          const fault = known?.fault ?? (attempt.answer === "INJECTED_FAULT" ? "status" : null);
          const isUnseen =
            fault === "status" ||
            fault === "reset" ||
            (fault === "delay" && attempt.status === null);
          const { at = null, headers: responseHeaders = null } = known ?? {};
          return { ...attempt, fault, isUnseen, responseHeaders, sandboxAt: timeOrNull(at) };
        });
        const pairs = pairOutcomes(eventId, made, outcomes.list(call.merchant.id));
        const deliveries = rows.flatMap((row) => {
          const { deliveryId, subscriptionKey: key, text: sealed, keyId, ...rest } = row;
          if (deliveryId === null || key === null) return [];
          const attempts = made
            .filter((attempt) => attempt.deliveryId === deliveryId)
            .map((attempt) => {
              const { startedAt, fault, isUnseen, responseHeaders, sandboxAt } = attempt;
              const sent = sentRequest(signing, { ...event, key, text: sealed, keyId, startedAt });
              const outcome = pairs.get(attempt) ?? null;
              const facts = { fault, isUnseen, responseHeaders, sandboxAt, outcome };
              return { ...shownAttempt(attempt), ...facts, headers: sent?.headers ?? null };
            });
          const shown = shownRow({ ...rest, deliveryId, subscriptionKey: key });
          return [{ ...shown, attempts }];
        });
        const subject = subjectOf(event);
        return { event: { ...shownEvent(event), subject }, deliveries };
      }),
    ],
    "/sandbox/inspect/progress": [
      // The steps that a newcomer has done.
      get(async ({ context: { driver }, merchant }) => {
        const exists = (where: string): string =>
          `EXISTS (SELECT 1 FROM deliveries WHERE merchant_id = $1 AND ${where})`;
        const [done = {}] = await driver.query<Readonly<Record<string, number>>>(
          `SELECT EXISTS (SELECT 1 FROM subscriptions WHERE merchant_id = $1 AND status <> 'CLOSED') AS "hasEndpoint",
             ${exists("true")} AS "hasEvent", ${exists("last_status IS NOT NULL")} AS "isReached",
             ${exists("last_status BETWEEN 200 AND 299")} AS "isAccepted",
             ${exists("attempts > 1")} AS "hasRetried"`,
          [merchant.id],
        );
        return Object.fromEntries(Object.entries(done).map(([name, one]) => [name, one === 1]));
      }),
    ],
    "/sandbox/inspect/search": [
      // Finds records by an id, a part of one, a name or a URL: at most 5 of each kind.
      get(async (call) => {
        const wanted = queryOf(call).get("q")?.trim() ?? "";
        return { hits: wanted === "" ? [] : await search(call, wanted) };
      }),
    ],
  };
}

interface Hit {
  readonly kind: "event" | "payment" | "customer" | "endpoint";
  readonly id: string;
  readonly title: string;
}

async function search(
  { context: { driver }, merchant }: Call,
  wanted: string,
): Promise<readonly Hit[]> {
  // An exact id by its index; else a scan for the text.
  const isId = /^(?:evt|dlv|pay|ref|cus|sub)_\w{8,}$/.test(wanted);
  const test = (...columns: readonly string[]): string =>
    columns
      .map((column) => (isId ? `${column} = $2` : `${column} LIKE $2 ESCAPE '!'`))
      .join(" OR ");
  const hits = [
    `SELECT 'payment' AS kind, id, direction || ' ' || status AS title FROM payments
      WHERE merchant_id = $1 AND (${test("id", "request_key", "coalesce(client_reference_id, '')")})
      ORDER BY seq DESC LIMIT 5`,
    `SELECT 'customer' AS kind, id, first_name || ' ' || last_name AS title FROM customers
      WHERE merchant_id = $1 AND (${test("id", "first_name || ' ' || last_name", "email")})
      ORDER BY seq DESC LIMIT 5`,
    `SELECT 'endpoint' AS kind, key AS id, url AS title FROM subscriptions
      WHERE merchant_id = $1 AND (${test("key", "url")}) ORDER BY seq DESC LIMIT 5`,
    isId && wanted.startsWith("dlv_")
      ? `SELECT 'event' AS kind, event_id AS id, state AS title FROM deliveries
          WHERE merchant_id = $1 AND id = $2`
      : `SELECT 'event' AS kind, id, type AS title FROM events
          WHERE merchant_id = $1 AND (${test("id", ...(isId ? [] : ["payload"]))})
          ORDER BY seq DESC LIMIT 5`,
  ];
  const params = [merchant.id, isId ? wanted : partOf(wanted)];
  const found = await Promise.all(hits.map((sql) => driver.query<Hit>(sql, params)));
  return found.flat();
}

/** An event name of a profile's catalogue, with all kinds of events that have it. */
export interface NamedEvent {
  readonly type: string;
  readonly category: string;
  /** Kinds of events with this name; empty if the service never emits it. */
  readonly kinds: readonly string[];
  /** JSON Pointers into the payload, one of which leads to the id of the event's resource. */
  readonly subjects: readonly string[];
}

/** Returns the events of a catalogue, each name once, in its order. */
export function namedEvents(catalogue: readonly SentEvent[]): NamedEvent[] {
  return [...Map.groupBy(catalogue, ({ type }) => type)].map(([type, rows]) => ({
    type,
    category: rows[0]?.category ?? "",
    kinds: rows.flatMap(({ kind }) => kind ?? []),
    subjects: [...new Set(rows.map(({ resource }) => resource))],
  }));
}

/** Returns a function that reads the id of an event's resource; `null` if the payload has none. */
export function subjectReader(
  catalogue: readonly SentEvent[],
): (event: Pick<EventRecord, "type" | "payload">) => string | null {
  const subjects = new Map(namedEvents(catalogue).map((one) => [one.type, one.subjects]));
  return ({ type, payload }) => {
    const whole: unknown = JSON.parse(payload);
    const values = subjects.get(type)?.map((pointer) => valueAt(whole, pointer));
    return values?.find((value) => typeof value === "string") ?? null;
  };
}

/** Returns the amount in an event's data as text, such as `10.50 USD`. */
function amountIn(payload: string, pointer: string): string | null {
  const amount = valueAt(JSON.parse(payload), `${pointer}/amount`);
  if (!isObject(amount) || typeof amount["value"] !== "number") return null;
  return `${amount["value"].toFixed(2)} ${String(amount["currency"])}`;
}
