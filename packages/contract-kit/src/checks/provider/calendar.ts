import { eligibleAt, isBusinessDay, type Hold } from "@countersign/rules";
import type { ProviderCheck } from "../../check.ts";
import { askRefund, pay, statusNow } from "../../harness/calls.ts";
import { singleCheck } from "../../harness/scenario.ts";
import { moveTo, openSession, timeOf, type Session } from "../../harness/session.ts";
import { must } from "../../harness/judge.ts";
import { holdOf } from "./refund-states.ts";

const CALENDAR = "P-REFUND-CALENDAR";
const DAY_MS = 86_400_000;
/** Two years in which holidays are on Saturdays, on Sundays and on weekdays, one of them a leap year. */
const BEFORE_FIRST_DAY: number = Date.parse("2027-01-03T17:00:00.000Z");
const DAYS = 2 * 365 + 1;
/** Merchants at work at the same time, each with a part of the two years. */
const PARTS = 4;

interface Settlement {
  /** Milliseconds. */
  readonly at: number;
  readonly threshold: number;
  /** The settlement's day, for messages. */
  readonly day: string;
}

export const calendar: ProviderCheck = {
  ...singleCheck({ ...about(), play: walk }),
  run: async (target, context) => {
    let culprit: Settlement | undefined;
    const whole = singleCheck({
      ...about(),
      play: (session) => walk(session, (settlement) => (culprit = settlement)),
    });
    const verdicts = await whole.run(target, context);
    if (culprit === undefined) return verdicts;
    // Again with only the failing settlement, which the report shows.
    const alone = culprit;
    const now = alone.threshold - 1;
    const one = singleCheck({ ...about(), now, play: (session) => probe(session, [alone]) });
    const smaller = await one.run(target, context);
    return smaller.some(({ status }) => status === "fail") ? smaller : verdicts;
  },
};

function about() {
  return {
    id: "provider/calendar",
    title: "the threshold of every business day of two years is met to the millisecond",
    requirements: [CALENDAR],
    now: BEFORE_FIRST_DAY,
  };
}

async function walk(
  session: Session,
  onFailure: (settlement: Settlement) => void = () => undefined,
): Promise<void> {
  const hold = holdOf(session.target.profile);
  const now = await timeOf(session);
  const all = settlements(now, hold);
  if (!session.isFresh) return probeAll(session, all, onFailure);
  const size = Math.ceil(all.length / PARTS);
  await Promise.all(
    Array.from({ length: PARTS }, async (_, part) => {
      const own = all.slice(part * size, (part + 1) * size);
      const [first] = own;
      if (first === undefined) return;
      const options = { ...session.options, now: Math.max(now, first.threshold - DAY_MS) };
      await probeAll(await openSession(session.target, options), own, onFailure);
    }),
  );
}

async function probeAll(
  session: Session,
  all: readonly Settlement[],
  onFailure: (settlement: Settlement) => void,
): Promise<void> {
  for (const [, group] of Map.groupBy(all, ({ threshold }) => threshold))
    await probe(session, group, onFailure);
}

/** Refunds of payments with one threshold: just before it, and at it. */
async function probe(
  session: Session,
  group: readonly Settlement[],
  onFailure: (settlement: Settlement) => void = () => undefined,
): Promise<void> {
  const [{ threshold } = { threshold: 0 }] = group;
  await moveTo(session, threshold - 1);
  const asked = [];
  let customer = {};
  for (const settlement of group) {
    const settledAt = new Date(settlement.at).toISOString();
    const { paymentId, customerId } = await pay(session, {
      ...customer,
      status: "settled",
      settledAt,
    });
    customer = { customerId };
    const requestKey = session.key();
    const answer = await askRefund(session, { paymentId, amount: "1.00", requestKey });
    judge(settlement, answer.body["paymentStatus"], { wanted: "PENDING", onFailure });
    asked.push({ settlement, paymentId, requestKey });
  }
  await moveTo(session, threshold);
  for (const { settlement, paymentId, requestKey } of asked) {
    const moved = await statusNow(session, { paymentId, cents: 100n, requestKey });
    judge(settlement, moved ?? "AUTHORIZED", { wanted: "AUTHORIZED", onFailure });
    const answer = await askRefund(session, { paymentId, amount: "1.00" });
    judge(settlement, answer.body["paymentStatus"], { wanted: "AUTHORIZED", onFailure });
  }
}

function judge(
  settlement: Settlement,
  got: unknown,
  {
    wanted,
    onFailure,
  }: {
    readonly wanted: "PENDING" | "AUTHORIZED";
    readonly onFailure: (settlement: Settlement) => void;
  },
): void {
  if (got === wanted) return;
  onFailure(settlement);
  const { at, threshold, day } = settlement;
  const when = wanted === "PENDING" ? "1 ms before" : "at";
  must(CALENDAR, false, () => {
    return `settled on ${day} (${new Date(at).toISOString()}): expected ${wanted} ${when} ${new Date(threshold).toISOString()}, got ${String(got)}`;
  });
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
    day !== undefined && isBusinessDay(day, hold.calendar);
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
    const edges = isSpecial ? [start, end - 1] : isOnce ? [[start, end - 1][edge] ?? start] : [];
    found.push(...edges.map((at) => ({ at, threshold: eligibleAt(at, hold), day })));
    if (isOnce) edge = 1 - edge;
    if (isNext) covered = dates.format(eligibleAt(start, hold));
  }
  return found.toSorted((one, other) => one.threshold - other.threshold);
}

function nextMidnight(at: number, hold: Hold): number {
  return eligibleAt(at, { ...hold, businessDays: 0, mode: "full-days", cutoff: "00:00" });
}
