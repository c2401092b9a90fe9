import type { Profile } from "@countersign/schemas/profiles";
import { listDeliveries, writtenTime, type EventRecord, type Routes } from "@countersign/service";
import { refuse } from "../refusals.ts";
import { get, listed, parameter, queryOf, refuseMember } from "../routes/call.ts";
import { attemptsByDelivery, shownAttempt, shownDelivery, shownEvent } from "../shown.ts";
import type { Outcomes } from "./outcomes.ts";
import { keyedSubscriptions, sentRequest, type SigningParts } from "./signatures.ts";

/** Deliveries of one event that are shown. */
const LIMIT = 100;

interface Row extends Omit<EventRecord, "payload"> {
  readonly cursor: number;
  /** A JSON list of the values at each of the subject paths. */
  readonly subjects: string;
  readonly states: string | null;
}

export function inspectedEventRoutes(parts: SigningParts, outcomes: Outcomes): Routes {
  const paths = subjectPaths(parts.profile);
  const places = new Map(
    namedEvents(parts.profile).map(({ type, subjects }) => [
      type,
      subjects.map((pointer) => paths.indexOf(pathOf(pointer))),
    ]),
  );
  const subjects = paths.map((_, index) => `json_extract(payload, $${String(index + 4)})`);
  return {
    "/sandbox/inspect/timeline": [
      // Events without their payloads, the newest first. The cursor is the event's sequence number.
      get(async (call) => {
        const { merchantId, limit } = listed(call);
        const before = queryOf(call).get("before") ?? String(Number.MAX_SAFE_INTEGER);
        if (!/^\d{1,16}$/.test(before)) {
          throw refuseMember("/before", "the query's before must be a cursor of an earlier answer");
        }
        const rows = await call.context.driver.query<Row>(
          `SELECT seq AS cursor, id, type, category, created_at AS "createdAt",
             json_array(${subjects.join(", ")}) AS subjects,
             (SELECT group_concat(state) FROM deliveries WHERE event_id = events.id) AS states
           FROM events WHERE merchant_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3`,
          [merchantId, Number(before), limit, ...paths],
        );
        const events = rows.map((row) => ({
          id: row.id,
          type: row.type,
          category: row.category,
          subject: subjectAt(row.subjects, places.get(row.type) ?? []),
          timestamp: writtenTime(row.createdAt),
          states: row.states?.split(",") ?? [],
        }));
        const last = rows.length === limit ? rows.at(-1) : undefined;
        return { events, before: last === undefined ? null : String(last.cursor) };
      }),
    ],
    "/sandbox/inspect/events/:eventId": [
      // With its deliveries, their attempts as sent, and the outcomes that receivers reported.
      get(async (call) => {
        const { driver } = call.context;
        const merchantId = call.merchant.id;
        const eventId = parameter(call, "eventId");
        const [event] = await driver.query<EventRecord>(
          `SELECT id, type, category, payload, created_at AS "createdAt" FROM events
            WHERE merchant_id = $1 AND id = $2`,
          [merchantId, eventId],
        );
        if (event === undefined) throw refuse("NOT_FOUND");
        const deliveries = await listDeliveries(driver, { merchantId, eventId, limit: LIMIT });
        const attempts = await attemptsByDelivery(driver, deliveries);
        const keys = deliveries.map(({ subscriptionKey }) => subscriptionKey);
        const subscriptions = await keyedSubscriptions(driver, keys);
        const shown = deliveries.map((delivery) => {
          const subscription = subscriptions.get(delivery.subscriptionKey);
          const sent = attempts.get(delivery.id)?.map((attempt) => {
            const signed = { ...event, startedAt: attempt.startedAt };
            const headers = subscription && sentRequest(parts, subscription, signed)?.headers;
            return { ...shownAttempt(attempt), headers: headers ?? null };
          });
          const url = subscription?.url ?? null;
          return { ...shownDelivery(delivery), url, attempts: sent ?? [] };
        });
        const told = outcomes.list(merchantId).filter((one) => one.eventId === eventId);
        return { event: shownEvent(event), deliveries: shown, outcomes: told };
      }),
    ],
  };
}

/** Returns the first text at one of these places. */
function subjectAt(subjects: string, places: readonly number[]): string | null {
  // Made by the query above.
  const values = JSON.parse(subjects) as readonly unknown[];
  return places.map((place) => values[place]).find((value) => typeof value === "string") ?? null;
}

/** An event name of a profile's catalogue, over all the moments that have it. */
export interface NamedEvent {
  readonly type: string;
  readonly category: string;
  /** The moments that have this name; none of an event that this service never writes. */
  readonly kinds: readonly string[];
  /** JSON Pointers into the payload, one of which leads to the id of what the event is about. */
  readonly subjects: readonly string[];
}

/** Returns the events of a catalogue, each name once, in its order. */
export function namedEvents({ catalogue }: Pick<Profile, "catalogue">): NamedEvent[] {
  return [...Map.groupBy(catalogue, ({ type }) => type)].map(([type, rows]) => ({
    type,
    category: rows[0]?.category ?? "",
    kinds: rows.flatMap(({ kind }) => kind ?? []),
    subjects: [...new Set(rows.map(({ resource }) => resource))],
  }));
}

/** Returns the places of subjects in a catalogue, each once, as paths of SQLite's JSON functions. */
export function subjectPaths({ catalogue }: Pick<Profile, "catalogue">): string[] {
  return [...new Set(catalogue.map(({ resource }) => pathOf(resource)))];
}

/** Returns a pointer of names without escapes, as profiles have them, as a path of SQLite's JSON functions. */
function pathOf(pointer: string): string {
  const names = pointer.split("/").slice(1);
  return `$${names.map((name) => `."${name}"`).join("")}`;
}
