import type { Call } from "@countersign/service/internal";
import { queryOf, refuseMember } from "../routes/call.ts";

/** The state of a delivery in the page's words; an event without one is `unsent`. */
const STATUS = `CASE
  WHEN deliveries.id IS NULL OR state = 'dropped' THEN 'unsent'
  WHEN state = 'delivered' THEN 'delivered'
  WHEN state = 'exhausted' THEN 'gave_up'
  WHEN last_error IS NOT NULL OR last_status NOT BETWEEN 200 AND 299 THEN 'retrying'
  ELSE 'pending' END`;

/** A query of events with their deliveries: a row for each delivery, and for each event without any. */
export const EVENT_ROWS = (columns: string, where: string): string =>
  `SELECT ${columns}, ${STATUS} AS status FROM events
    LEFT JOIN deliveries ON deliveries.event_id = events.id
    LEFT JOIN subscriptions ON subscriptions.key = deliveries.subscription_key
    WHERE ${where}`;

const tabs: Readonly<Record<string, readonly string[]>> = {
  failing: ["retrying", "gave_up"],
  retrying: ["retrying"],
  delivered: ["delivered"],
  unsent: ["unsent"],
  pending: ["pending"],
};

/** Conditions on the last response, by the page's names. */
const answers: Readonly<Record<string, string>> = {
  "2xx": "last_status BETWEEN 200 AND 299",
  "3xx": "last_status BETWEEN 300 AND 399",
  "4xx": "last_status BETWEEN 400 AND 499",
  "5xx": "last_status BETWEEN 500 AND 599",
  none: "last_error IS NOT NULL",
};

export interface EventFilter {
  /** The condition of the tab. */
  readonly status: string;
  /** All other conditions. */
  readonly where: string;
  readonly params: readonly (string | number)[];
}

/**
 * Reads the filter of a list of events from its query: `tab`, `category`, `type`, `endpoint`, `answer`, `q`, and `from`
 * and `to` in sandbox time. Unknown values of `tab` and `answer` select everything.
 */
export function eventFilter(query: URLSearchParams, merchantId: string): EventFilter {
  const params: (string | number)[] = [merchantId];
  const where = ["events.merchant_id = $1"];
  const add = (name: string, condition: (place: string) => string, value?: number): void => {
    const text = query.get(name) ?? "";
    if (text !== "") where.push(condition(`$${String(params.push(value ?? text))}`));
  };
  add("category", (place) => `category = ${place}`);
  add("type", (place) => `type = ${place}`);
  add("endpoint", (place) => `subscription_key = ${place}`);
  add("from", (place) => `events.created_at >= ${place}`, instantIn(query, "from"));
  add("to", (place) => `events.created_at < ${place}`, instantIn(query, "to"));
  const wanted = query.get("q") ?? "";
  if (wanted !== "") {
    const [exact, part] = [params.push(wanted), params.push(partOf(wanted))];
    where.push(
      `(payload LIKE $${String(part)} ESCAPE '!' OR url LIKE $${String(part)} ESCAPE '!' OR deliveries.id = $${String(exact)})`,
    );
  }
  const answer = answers[query.get("answer") ?? ""];
  if (answer !== undefined) where.push(answer);
  const states = tabs[query.get("tab") ?? ""];
  const status =
    states === undefined ? "true" : `(${STATUS}) IN (${states.map((one) => `'${one}'`).join()})`;
  return { status, where: where.join(" AND "), params };
}

/** Returns the pattern of LIKE for texts that contain a text, with `!` as its escape. */
export const partOf = (text: string): string => `%${text.replaceAll(/[%_!]/g, "!$&")}%`;

/** Returns 0 for an invalid time. */
const instantIn = (query: URLSearchParams, name: string): number =>
  Date.parse(query.get(name) ?? "") || 0;

/** Reads `limit`, from 1 to 200 with default 50, and `before`, the cursor of an earlier answer. */
export function pageOf(call: Call): {
  readonly limit: number;
  readonly after: readonly [number, number];
} {
  const query = queryOf(call);
  const limit = Number(query.get("limit") ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > 200) {
    throw refuseMember("/limit", "the query's limit must be a whole number from 1 to 200");
  }
  const before = query.get("before") ?? "";
  if (before !== "" && !/^\d{1,15}(?:\.\d{1,15})?$/.test(before)) {
    throw refuseMember("/before", "the query's before must be a cursor of an earlier answer");
  }
  const [first = Number.MAX_SAFE_INTEGER, second = 0] =
    before === "" ? [] : before.split(".").map(Number);
  return { limit, after: [first, second] };
}
