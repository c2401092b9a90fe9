import { eligibleAt, formatAmount, isBusinessDay, type Hold } from "@countersign/rules";
import type { Profile } from "@countersign/schemas/profiles";
import {
  findPayment,
  paymentResource,
  writtenTime,
  type Call,
  type DebitRecord,
  type EventRecord,
  type Routes,
} from "@countersign/service/internal";
import { refuse } from "../refusals.ts";
import { get, nowOf, parameter } from "../routes/call.ts";
import { subjectReader } from "./events.ts";

/** Business days ahead that the page offers. */
const DAYS_AHEAD = 5;

export const refundRoutes = (profile: Profile): Routes => ({
  "/sandbox/inspect/due": [
    // The clock, what is due next by it, and the business days ahead.
    get(async (call) => {
      const { hold } = call.context.policy;
      const { timeZone } = hold;
      const now = await nowOf(call);
      const days = Array.from({ length: DAYS_AHEAD }, (_, index) => {
        const day: Hold = { ...hold, businessDays: index + 1, mode: "date", cutoff: "00:00" };
        const at = eligibleAt(now, day);
        return { date: dateIn(at, timeZone), at: writtenTime(at) };
      });
      return { now: writtenTime(now), timeZone, next: await nextDue(call), businessDays: days };
    }),
  ],
  "/sandbox/inspect/refunds/:refundId": [
    // A refund, its payment, its days of waiting, all reservations, and the events of both.
    get(async (call) => {
      const { context, merchant } = call;
      const find = (id: string) => findPayment(context.driver, { merchantId: merchant.id, id });
      const refund = await find(parameter(call, "refundId"));
      if (refund?.direction !== "CREDIT") throw refuse("PAYMENT_NOT_FOUND");
      const debit = await find(refund.originalId);
      if (debit?.direction !== "DEBIT") throw refuse("PAYMENT_NOT_FOUND");
      return {
        refund: paymentResource(refund),
        payment: paymentResource(debit),
        hold: shownHold(debit, context.policy.hold),
        reservations: {
          amount: formatAmount(debit.amountCents),
          reserved: formatAmount(debit.reservedCents),
          refunds: await refundsOf(call, debit.id),
        },
        history: await eventsAbout(call, profile, { debit, refundId: refund.id }),
      };
    }),
  ],
});

async function nextDue({ context, merchant }: Call): Promise<object | null> {
  const [next] = await context.driver.query<{ at: number }>(
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
  return next === undefined ? null : { ...next, at: writtenTime(next.at) };
}

async function refundsOf({ context, merchant }: Call, paymentId: string): Promise<object[]> {
  const rows = await context.driver.query<{ id: string; status: string; amountCents: number }>(
    `SELECT id, status, amount_cents AS "amountCents" FROM payments
      WHERE merchant_id = $1 AND original_id = $2 ORDER BY seq`,
    [merchant.id, paymentId],
  );
  return rows.map(({ id, status, amountCents }) => ({
    paymentId: id,
    paymentStatus: status,
    amount: formatAmount(BigInt(amountCents)),
  }));
}

/** Returns the first events of a debit and its refund; none is older than the debit. */
async function eventsAbout(
  { context, merchant }: Call,
  profile: Profile,
  { debit, refundId }: { readonly debit: DebitRecord; readonly refundId: string },
): Promise<object[]> {
  const subjectOf = subjectReader(profile);
  const rows = await context.driver.query<EventRecord>(
    `SELECT id, type, payload, created_at AS "createdAt" FROM events
      WHERE merchant_id = $1 AND created_at >= $2 AND (payload LIKE $3 OR payload LIKE $4)
      ORDER BY seq LIMIT 1000`,
    [merchant.id, debit.createdAt, `%${refundId}%`, `%${debit.id}%`],
  );
  return rows
    .filter((event) => [refundId, debit.id].includes(subjectOf(event) ?? ""))
    .slice(0, 100)
    .map(({ id, type, createdAt }) => ({ id, type, timestamp: writtenTime(createdAt) }));
}

function shownHold({ settledAt }: DebitRecord, hold: Hold): object | null {
  if (settledAt === null) return null;
  const { timeZone, businessDays } = hold;
  const at = eligibleAt(settledAt, hold);
  const days = holdDays(settledAt, at, hold);
  const eligible = writtenTime(at);
  return { settledAt: writtenTime(settledAt), eligibleAt: eligible, timeZone, businessDays, days };
}

/** A day between a settlement and the threshold. */
interface HoldDay {
  readonly date: string;
  readonly isOpen: boolean;
  /** Why the bank is closed; `null` if it is open. */
  readonly closed: string | null;
}

/** The most days that are shown. */
const MAX_DAYS = 400;

/** Returns the days from the settlement's date to the threshold's, both included, in the bank's time zone. */
function holdDays(from: number, to: number, { calendar, timeZone }: Hold): HoldDay[] {
  const last = dateIn(to, timeZone);
  const first = Date.parse(dateIn(from, timeZone));
  const days: HoldDay[] = [];
  while (days.length < MAX_DAYS && (days.at(-1)?.date ?? "") < last) {
    const date = new Date(first + days.length * DAY_MS).toISOString().slice(0, 10);
    const isOpen = isBusinessDay(date, calendar);
    days.push({ date, isOpen, closed: isOpen ? null : closingReason(date, calendar) });
  }
  return days;
}

const DAY_MS = 86_400_000;

/** Returns the date in a time zone at an instant, as `YYYY-MM-DD`. */
function dateIn(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(at);
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
/** The holidays of months that have one. */
const holidays: Readonly<Record<number, string>> = {
  2: "Washington's Birthday",
  5: "Memorial Day",
  6: "Juneteenth",
  7: "Independence Day",
  9: "Labor Day",
  10: "Columbus Day",
  12: "Christmas Day",
};

/** Returns why a day is closed: by the profile, as a weekend's day, or as the holiday of its month. */
function closingReason(date: string, { closed, weekend }: Hold["calendar"]): string {
  if (closed.includes(date)) return "closed by the profile";
  const weekday = new Date(date).getUTCDay();
  if (weekend.includes(weekday === 0 ? 7 : weekday)) return weekdays[weekday] ?? "weekend";
  const [, month = 0, day = 0] = date.split("-").map(Number);
  if (month === 1) return day <= 2 ? "New Year's Day" : "Birthday of Martin Luther King, Jr.";
  if (month === 11) return day <= 12 ? "Veterans Day" : "Thanksgiving Day";
  return holidays[month] ?? "holiday";
}
