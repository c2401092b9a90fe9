import { refuseMembers, writtenTime, type Route } from "@countersign/service";
import { namedEvents, pathOf, subjectPaths } from "../event-places.ts";
import type { InspectParts } from "../inspect-parts.ts";
import { listLimit, queryOf } from "../../list-limit.ts";

interface Row {
  readonly cursor: number;
  readonly id: string;
  readonly type: string;
  readonly category: string;
  readonly at: number;
  /** A JSON list of what stands at each of the places of subjects. */
  readonly subjects: string;
  readonly states: string | null;
}

/**
 * `GET /sandbox/inspect/timeline?before=CURSOR&limit=…`: events without their payloads, the newest
 * first. The cursor is the event's sequence number.
 */
export const getTimeline = ({ profile }: Pick<InspectParts, "profile">): Route => {
  const paths = subjectPaths(profile);
  const placesOf = new Map(
    namedEvents(profile).map(({ type, subjects }) => [
      type,
      subjects.map((pointer) => paths.indexOf(pathOf(pointer))),
    ]),
  );
  return {
    method: "GET",
    scope: undefined,
    answer: async (call) => {
      const limit = listLimit(call);
      const text = queryOf(call).get("before") ?? String(Number.MAX_SAFE_INTEGER);
      if (!/^\d{1,16}$/.test(text)) {
        const message = "the query's before must be a cursor of an earlier answer";
        throw refuseMembers([{ pointer: "/before", code: "INVALID_VALUE", message }]);
      }
      const rows = await call.context.driver.query<Row>(
        `SELECT seq AS cursor, id, type, category, created_at AS at,
         json_array(${paths.map((_, index) => `json_extract(payload, $${String(index + 4)})`).join(", ")}) AS subjects,
         (SELECT group_concat(state) FROM deliveries WHERE event_id = events.id) AS states
       FROM events WHERE merchant_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3`,
        [call.merchant.id, Number(text), limit, ...paths],
      );
      const events = rows.map(({ id, type, category, subjects, at, states }) => ({
        id,
        type,
        category,
        subject: subjectAt(subjects, placesOf.get(type) ?? []),
        timestamp: writtenTime(at),
        states: states === null ? [] : states.split(","),
      }));
      const last = rows.length === limit ? rows.at(-1) : undefined;
      return {
        status: 200,
        body: { events, before: last === undefined ? null : String(last.cursor) },
      };
    },
  };
};

/** The first text at one of these places. */
function subjectAt(subjects: string, places: readonly number[]): string | null {
  // Made by the query above.
  const values = JSON.parse(subjects) as readonly unknown[];
  return places.map((place) => values[place]).find((value) => typeof value === "string") ?? null;
}
