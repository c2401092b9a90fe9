import { eligibleAt, formatAmount, isBusinessDay, type Hold } from "@countersign/rules";
import type { Profile } from "@countersign/schemas/profiles";
import { senderOf } from "@countersign/schemas/provider-of";
import {
  findPayment,
  paymentResource,
  returnRefund,
  writtenTime,
  type Call,
  type DebitRecord,
  type EventRecord,
  type PaymentRecord,
  type Routes,
} from "@countersign/service/internal";
import { refuse } from "../refusals.ts";
import { get, nowOf, parameter, post, queryOf } from "../routes/call.ts";
import { timeOrNull } from "../shown.ts";
import { pageOf } from "./event-filter.ts";
import { subjectReader } from "./events.ts";

/** Business days ahead that the page offers. */
const DAYS_AHEAD = 5;

export const dueRoutes: Routes = {
  "/sandbox/inspect/due": [
    // The clock, what is due next by it, how much is due until the query's `until`, and the business days ahead.
    get(async (call) => {
      const { hold } = call.context.policy;
      const { timeZone } = hold;
      const now = await nowOf(call);
      const days = Array.from({ length: DAYS_AHEAD }, (_, index) => {
        const day: Hold = { ...hold, businessDays: index + 1, cutoff: "00:00" };
        const at = eligibleAt(now, day);
        return { date: dateIn(at, timeZone), at: writtenTime(at) };
      });
      const until = Date.parse(queryOf(call).get("until") ?? "");
      const due = await dueUntil(call, Number.isNaN(until) ? Number.MAX_SAFE_INTEGER : until);
      return { now: writtenTime(now), timeZone, ...due, businessDays: days };
    }),
  ],
};

export const inspectedPaymentRoutes = (profile: Profile): Routes => ({
  "/sandbox/inspect/payments": [
    // Newest first, by order of insertion. `q` is searched in ids, request keys and references.
    get(async (call) => {
      const query = queryOf(call);
      const { limit, after } = pageOf(call);
      const wanted = query.get("q")?.trim() ?? "";
      const status = query.get("status") ?? "";
      const where = `payments.merchant_id = $1 AND ($2 = '' OR instr(id, $2) > 0 OR instr(request_key, $2) > 0
        OR instr(coalesce(client_reference_id, ''), $2) > 0 OR instr(customer_id, $2) > 0)
        AND ($3 = '' OR status = $3)`;
      const params = [call.merchant.id, wanted, status];
      const rows = await call.context.driver.query<PaymentRow>(
        `SELECT seq, id, direction, status, covered, amount_cents AS "amountCents",
           reserved_cents AS "reservedCents", created_at AS "createdAt", due_at AS "dueAt",
           (SELECT count(*) FROM payments AS refunds WHERE refunds.original_id = payments.id) AS refunds
         FROM payments WHERE ${where} AND seq < $4 ORDER BY seq DESC LIMIT $5`,
        [...params, after[0], limit],
      );
      const [found] = await call.context.driver.query<{ count: number }>(
        `SELECT count(*) AS count FROM payments WHERE ${where}`,
        params,
      );
      return {
        rows: rows.map(shownRow),
        count: found?.count ?? 0,
        before: rows.length === limit ? String(rows.at(-1)?.seq) : null,
      };
    }),
  ],
  "/sandbox/inspect/payments/:paymentId": [
    // A payment or refund, with its debit, all refunds of that, its days of waiting, and the events of both.
    get(async (call) => {
      const { context, merchant } = call;
      const find = (id: string) => findPayment(context.driver, { merchantId: merchant.id, id });
      const payment = await find(parameter(call, "paymentId"));
      const debit = payment?.direction === "CREDIT" ? await find(payment.originalId) : payment;
      if (payment === undefined || debit?.direction !== "DEBIT") throw refuse("PAYMENT_NOT_FOUND");
      const refunds = await context.driver.query<{ id: string }>(
        "SELECT id FROM payments WHERE merchant_id = $1 AND original_id = $2 ORDER BY seq",
        [merchant.id, debit.id],
      );
      const found = await Promise.all(refunds.map(({ id }) => find(id)));
      return {
        payment: shownPayment(payment),
        debit: shownPayment(debit),
        refunds: found.flatMap((refund) => (refund === undefined ? [] : [shownPayment(refund)])),
        hold: shownHold(debit, context.policy.hold),
        events: await eventsAbout(call, profile, debit, [debit.id, ...refunds.map(({ id }) => id)]),
      };
    }),
  ],
  "/sandbox/inspect/payments/:paymentId/return": [
    // The bank returns an AUTHORIZED refund.
    post(200, {}, async (call) => {
      const named = { paymentId: parameter(call, "paymentId") };
      const outcome = await returnRefund(call.context, call.merchant, named);
      if (!outcome.ok) throw refuse(outcome.code);
      return {};
    }),
  ],
});

interface PaymentRow {
  readonly seq: number;
  readonly id: string;
  readonly direction: "DEBIT" | "CREDIT";
  readonly status: string;
  readonly covered: number;
  readonly amountCents: number;
  readonly reservedCents: number;
  readonly createdAt: number;
  readonly dueAt: number | null;
  readonly refunds: number;
}

const amountText = (cents: bigint | number): string => `${formatAmount(BigInt(cents))} USD`;

function shownRow({ amountCents, reservedCents, ...row }: PaymentRow): object {
  return {
    ...row,
    covered: row.covered === 1,
    amount: amountText(amountCents),
    refundable: refundableOf(row, amountCents - reservedCents),
    createdAt: writtenTime(row.createdAt),
    dueAt: timeOrNull(row.dueAt),
  };
}

/** Returns the refundable rest of a debit; `null` for a refund, and for a debit that cannot be refunded. */
function refundableOf(
  { direction, status }: { readonly direction: string; readonly status: string },
  cents: bigint | number,
): string | null {
  const isRefundable =
    direction === "DEBIT" && ["CREATED", "AUTHORIZED", "SUCCEEDED"].includes(status);
  return isRefundable && cents > 0 ? amountText(cents) : null;
}

function shownPayment(payment: PaymentRecord): object {
  const { id, direction, amountCents } = payment;
  const isDebit = payment.direction === "DEBIT";
  return {
    ...paymentResource(payment),
    id,
    direction,
    amount: amountText(amountCents),
    requestKey: payment.requestKey,
    refundable: isDebit ? refundableOf(payment, amountCents - payment.reservedCents) : null,
    dueAt: isDebit ? null : timeOrNull(payment.dueAt),
  };
}

/** Counts the items due until an instant, and finds the first. */
async function dueUntil(
  { context, merchant }: Call,
  until: number,
): Promise<{ readonly next: object | null; readonly count: number }> {
  const due = await context.driver.query<{ at: number; count: number }>(
    `SELECT *, count(*) OVER () AS count FROM (
     SELECT 'refund' AS kind, id, due_at AS at, 'refund' AS what, NULL AS url FROM payments
      WHERE merchant_id = $1 AND due_at <= $2 AND direction = 'CREDIT'
     UNION ALL
     SELECT 'attempt', deliveries.event_id, next_at, events.type, url
       FROM deliveries JOIN subscriptions ON subscriptions.key = deliveries.subscription_key
       JOIN events ON events.id = deliveries.event_id
      WHERE deliveries.merchant_id = $1 AND next_at <= $2 AND subscriptions.status = 'ACTIVE')
     ORDER BY at LIMIT 1`,
    [merchant.id, until],
  );
  const [first] = due;
  if (first === undefined) return { next: null, count: 0 };
  const { count, at, ...next } = first;
  return { next: { ...next, at: writtenTime(at) }, count };
}

/** Returns the first events of a debit and its refunds; none is older than the debit. */
async function eventsAbout(
  { context, merchant }: Call,
  profile: Profile,
  debit: DebitRecord,
  ids: readonly string[],
): Promise<object[]> {
  const subjectOf = subjectReader(senderOf(profile).catalogue);
  const rows = await context.driver.query<EventRecord>(
    `SELECT id, type, payload, created_at AS "createdAt" FROM events
      WHERE merchant_id = $1 AND created_at >= $2
        AND (${ids.map((_, index) => `instr(payload, $${String(index + 3)}) > 0`).join(" OR ")})
      ORDER BY seq LIMIT 1000`,
    [merchant.id, debit.createdAt, ...ids],
  );
  return rows.flatMap((event) => {
    const subject = subjectOf(event) ?? "";
    const timestamp = writtenTime(event.createdAt);
    return ids.includes(subject) ? [{ id: event.id, type: event.type, subject, timestamp }] : [];
  });
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
  /** The reason why the bank is closed; `null` if it is open. */
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

/** Returns the reason why a day is closed: the profile, a weekend, or a holiday. */
function closingReason(date: string, { closed, weekend }: Hold["calendar"]): string {
  if (closed.includes(date)) return "closed by the profile";
  const weekday = new Date(date).getUTCDay();
  if (weekend.includes(weekday === 0 ? 7 : weekday)) return weekdays[weekday] ?? "weekend";
  const [, month = 0, day = 0] = date.split("-").map(Number);
  if (month === 1) return day <= 2 ? "New Year's Day" : "Birthday of Martin Luther King, Jr.";
  if (month === 11) return day <= 12 ? "Veterans Day" : "Thanksgiving Day";
  return holidays[month] ?? "holiday";
}
