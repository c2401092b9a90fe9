import { eligibleAt, isBusinessDay, type Hold } from "@countersign/rules";
import type { ProviderCheck } from "../check.ts";
import { requestRefund, prepareDebit, currentStatus } from "./calls.ts";
import { providerCheck } from "./provider-check.ts";
import { isoTime, openSession, type Session } from "./session.ts";

const CALENDAR = "P-REFUND-CALENDAR";
const DAY_MS = 86_400_000;
/** Two years in which holidays are on Saturdays, on Sundays and on weekdays, one of them a leap year. */
const BEFORE_FIRST_DAY: number = Date.parse("2027-01-03T17:00:00.000Z");
const DAYS = 2 * 365 + 1;
/** Concurrent merchants, each with a part of the two years. */
const PARTS = 4;

interface Settlement {
  /** Milliseconds. */
  readonly at: number;
  readonly threshold: number;
  /** The settlement's day, for messages. */
  readonly day: string;
}

export const calendar: ProviderCheck = providerCheck({
  id: "provider/calendar",
  title: "the threshold of every business day of two years is met to the millisecond",
  now: BEFORE_FIRST_DAY,
  run: async (session) => {
    const now = await session.time();
    const all = settlements(now, session.profile.hold);
    const parts = session.isFresh ? PARTS : 1;
    const size = Math.ceil(all.length / parts);
    const probePart = async (part: number): Promise<void> => {
      const own = all.slice(part * size, (part + 1) * size);
      const start = Math.max(now, (own[0]?.threshold ?? now) - DAY_MS);
      const { target, scenario } = session;
      const merchant = parts === 1 ? session : await openSession(target, scenario, start);
      for (const group of Map.groupBy(own, ({ threshold }) => threshold).values())
        await probe(merchant, group);
    };
    await Promise.all(Array.from({ length: parts }, (_, part) => probePart(part)));
  },
});

/** Refunds of payments with one threshold: just before it, and at it. */
async function probe(session: Session, group: readonly Settlement[]): Promise<void> {
  const threshold = group[0]?.threshold ?? 0;
  const compare = ({ at, day }: Settlement, got: unknown, wanted: "PENDING" | "AUTHORIZED") => {
    const when = `${wanted === "PENDING" ? "1 ms before" : "at"} ${isoTime(threshold)}`;
    const other = `settled on ${day} (${isoTime(at)}): expected ${wanted} ${when}, got ${String(got)}`;
    session.expect(CALENDAR, got === wanted, other);
  };
  await session.moveTo(threshold - 1);
  const asked = [];
  let customerId: string | undefined;
  for (const settlement of group) {
    const settled = { status: "settled", settledAt: isoTime(settlement.at) } as const;
    const paid = await prepareDebit(session, { customerId, ...settled });
    ({ customerId } = paid);
    const refund = { paymentId: paid.paymentId, amount: "1.00", requestKey: session.key() };
    const { body } = await requestRefund(session, refund);
    compare(settlement, body["paymentStatus"], "PENDING");
    asked.push({ settlement, refund });
  }
  await session.moveTo(threshold);
  for (const { settlement, refund } of asked) {
    compare(settlement, (await currentStatus(session, refund)) ?? "AUTHORIZED", "AUTHORIZED");
    const { paymentId, amount } = refund;
    const { body } = await requestRefund(session, { paymentId, amount });
    compare(settlement, body["paymentStatus"], "AUTHORIZED");
  }
}

/**
 * The windows from settlement to threshold cover every day of the two years, so that a single day too many or too
 * few is seen. Days on which nothing is open, the days before them, clock changes and ends of years are settled
 * on as well.
 */
function settlements(now: number, hold: Hold): readonly Settlement[] {
  const dates = new Intl.DateTimeFormat("en-CA", { timeZone: hold.timeZone });
  const midnights = [nextMidnight(now, hold)];
  while (midnights.length <= DAYS) midnights.push(nextMidnight(midnights.at(-1) ?? now, hold));
  const days = midnights.map((start) => dates.format(start));
  const isOpen = (day: string | undefined): boolean =>
    day !== undefined && isBusinessDay(day, hold);
  const found: Settlement[] = [];
  let covered = "";
  let edge = 0;
  for (const [index, start] of midnights.slice(0, DAYS).entries()) {
    const day = days[index] ?? "";
    const end = midnights[index + 1] ?? start;
    const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
    const isHoliday = !isOpen(day) && !isWeekend;
    const isSpecial =
      isHoliday ||
      (isOpen(day) && !isOpen(days[index + 1]) && !isOpen(days[index + 3])) ||
      end - start !== DAY_MS ||
      /-(?:12-31|01-01)$/.test(day);
    // Most weekends once, at alternating edges; a window of open days begins where the last one ended.
    const isNext = isOpen(day) && day >= covered;
    const isOnce = !isSpecial && (isNext || (isWeekend && index % 3 === 0));
    const edges = [start, end - 1].filter((_, one) => isSpecial || (isOnce && one === edge));
    found.push(...edges.map((at) => ({ at, threshold: eligibleAt(at, hold), day })));
    if (isOnce) edge = 1 - edge;
    if (isNext) covered = dates.format(eligibleAt(start, hold));
  }
  return found.toSorted((one, other) => one.threshold - other.threshold);
}

/** Returns the next midnight in the hold's time zone: no day has more than 25 hours. */
function nextMidnight(at: number, hold: Hold): number {
  const midnightOf = (instant: number): number =>
    eligibleAt(instant, { ...hold, businessDays: 0, cutoff: "00:00" });
  return midnightOf(midnightOf(at) + 1.5 * DAY_MS);
}
