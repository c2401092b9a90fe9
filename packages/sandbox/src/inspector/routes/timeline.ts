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
 * `GET /sandbox/inspect/timeline?before=CURSOR&limit=…`: events without their payloads, in the order in
 * which they were written, the newest first. SQLite's own row number is the cursor: a clock that stands
 * still gives many events one time.
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
      // `+` keeps SQLite from the index by time: sorting by row number all that a namespace has.
      const rows = await call.context.driver.query<Row>(
        `SELECT rowid AS cursor, id, type, category, created_at AS at,
         json_array(${paths.map((_, index) => `json_extract(payload, $${String(index + 4)})`).join(", ")}) AS subjects,
         (SELECT group_concat(state) FROM deliveries WHERE event_id = events.id) AS states
       FROM events WHERE +merchant_id = $1 AND rowid < $2 ORDER BY rowid DESC LIMIT $3`,
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
