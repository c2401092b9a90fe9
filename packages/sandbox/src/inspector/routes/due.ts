import { addBusinessDays } from "@countersign/rules";
import { instantOf, writtenTime, type Call, type Route } from "@countersign/service";
import { dateIn, startOfDate } from "../dates.ts";

/** Business days ahead that the page offers. */
const DAYS_AHEAD = 5;

/** `GET /sandbox/inspect/due`: the clock, what is due next by it, and the business days ahead. */
export const getDue: Route = {
  method: "GET",
  scope: undefined,
  answer: async (call) => {
    const { context, merchant } = call;
    const { hold } = context.policy;
    const now = await instantOf(context.driver, context.clock, merchant.clockId);
    const today = dateIn(now, hold.timeZone);
    const businessDays = Array.from({ length: DAYS_AHEAD }, (_, index) => {
      const date = addBusinessDays(today, index + 1, hold.calendar);
      return { date, at: writtenTime(startOfDate(date, hold.timeZone)) };
    });
    return {
      status: 200,
      body: {
        now: writtenTime(now),
        timeZone: hold.timeZone,
        next: await nextOf(call),
        businessDays,
      },
    };
  },
};

async function nextOf({ context, merchant }: Call): Promise<object | null> {
  const rows = await context.driver.query<{ kind: string; id: string; at: number; what: string }>(
    `SELECT 'refund' AS kind, id, due_at AS at, status AS what FROM payments
      WHERE merchant_id = $1 AND due_at IS NOT NULL AND direction = 'CREDIT'
     UNION ALL
     SELECT 'attempt' AS kind, deliveries.event_id AS id, next_at AS at, events.type AS what
       FROM deliveries JOIN subscriptions ON subscriptions.key = deliveries.subscription_key
       JOIN events ON events.id = deliveries.event_id
      WHERE deliveries.merchant_id = $1 AND next_at IS NOT NULL AND subscriptions.status = 'ACTIVE'
     ORDER BY 3 LIMIT 1`,
    [merchant.id],
  );
  const [next] = rows;
  return next === undefined ? null : { ...next, at: writtenTime(next.at) };
}
