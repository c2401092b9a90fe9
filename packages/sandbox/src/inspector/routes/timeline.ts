import { refuseMembers, writtenTime, type Route } from "@countersign/service";
import { listLimit, queryOf } from "../../list-limit.ts";

interface Row {
  readonly cursor: number;
  readonly id: string;
  readonly type: string;
  readonly category: string;
  readonly at: number;
  readonly subject: string | null;
  readonly states: string | null;
}

/**
 * `GET /sandbox/inspect/timeline?before=CURSOR&limit=…`: events without their payloads, in the order in
 * which they were written, the newest first. SQLite's own row number is the cursor: a clock that stands
 * still gives many events one time.
 */
export const getTimeline: Route = {
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
         coalesce(json_extract(payload, '$.data.paymentId'), json_extract(payload, '$.data.customerId'),
           json_extract(payload, '$.data.id')) AS subject,
         (SELECT group_concat(state) FROM deliveries WHERE event_id = events.id) AS states
       FROM events WHERE +merchant_id = $1 AND rowid < $2 ORDER BY rowid DESC LIMIT $3`,
      [call.merchant.id, Number(text), limit],
    );
    const events = rows.map(({ id, type, category, subject, at, states }) => ({
      id,
      type,
      category,
      subject,
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
