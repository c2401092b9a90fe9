import type { Profile } from "@countersign/schemas/profiles";
import {
  listDeliveries,
  writtenTime,
  type EventRecord,
  type Routes,
  type SealedSecret,
} from "@countersign/service/internal";
import { isObject } from "../readers.ts";
import { refuse } from "../refusals.ts";
import { get, listed, parameter, queryOf, refuseMember } from "../routes/call.ts";
import { attemptsByDelivery, shownAttempt, shownDelivery, shownEvent } from "../shown.ts";
import type { Outcomes } from "./outcomes.ts";
import { sentRequest, type SigningParts } from "./signatures.ts";

/** Deliveries of one event that are shown. */
const LIMIT = 100;

interface Row extends EventRecord {
  readonly cursor: number;
  readonly states: string | null;
}

export function inspectedEventRoutes(parts: SigningParts, outcomes: Outcomes): Routes {
  const subjectOf = subjectReader(parts.profile);
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
          `SELECT seq AS cursor, id, type, category, payload, created_at AS "createdAt",
             (SELECT group_concat(state) FROM deliveries WHERE event_id = events.id) AS states
           FROM events WHERE merchant_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3`,
          [merchantId, Number(before), limit],
        );
        const events = rows.map((row) => ({
          id: row.id,
          type: row.type,
          category: row.category,
          subject: subjectOf(row),
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
        const rows = await driver.query<SealedSecret & { key: string; url: string }>(
          `SELECT key, url, secret AS text, secret_key_id AS "keyId" FROM subscriptions
            WHERE key IN (SELECT subscription_key FROM deliveries WHERE event_id = $1)`,
          [eventId],
        );
        const subscriptions = new Map(rows.map((row) => [row.key, row]));
        const shown = deliveries.map((delivery) => {
          const subscription = subscriptions.get(delivery.subscriptionKey);
          const sent = attempts.get(delivery.id)?.map((attempt) => {
            const { startedAt } = attempt;
            const made = subscription && { ...subscription, ...event, startedAt };
            const headers = made && sentRequest(parts, made)?.headers;
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

/** Returns a reader of the id of what an event is about; `null` if its payload has none. */
export function subjectReader(
  profile: Pick<Profile, "catalogue">,
): (event: Pick<EventRecord, "type" | "payload">) => string | null {
  const subjects = new Map(namedEvents(profile).map((one) => [one.type, one.subjects]));
  return ({ type, payload }) => {
    const whole: unknown = JSON.parse(payload);
    const values = subjects.get(type)?.map((pointer) => {
      // Pointers of profiles have names without escapes.
      const names = pointer.split("/").slice(1);
      return names.reduce((value, name) => (isObject(value) ? value[name] : undefined), whole);
    });
    return values?.find((value) => typeof value === "string") ?? null;
  };
}
