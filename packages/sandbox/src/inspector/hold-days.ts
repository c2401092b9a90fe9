import { isBusinessDay, type Hold } from "@countersign/rules";
import { dateIn, nextDate } from "./dates.ts";

/** A day between a settlement and the threshold. */
export interface HoldDay {
  readonly date: string;
  readonly isOpen: boolean;
  /** Why the bank is closed; `null` where it is open. */
  readonly closed: string | null;
}

/** The most days that are told. */
const MAX_DAYS = 400;

/** The days from the settlement's date to the threshold's, both included, as the bank's zone has them. */
export function holdDays(
  { settledAt, eligibleAt }: { readonly settledAt: number; readonly eligibleAt: number },
  { calendar, timeZone }: Pick<Hold, "calendar" | "timeZone">,
): HoldDay[] {
  const last = dateIn(eligibleAt, timeZone);
  const days: HoldDay[] = [];
  for (let date = dateIn(settledAt, timeZone); days.length < MAX_DAYS; date = nextDate(date)) {
    const isOpen = isBusinessDay(date, calendar);
    days.push({ date, isOpen, closed: isOpen ? null : reasonOf(date, calendar) });
    if (date >= last) break;
  }
  return days;
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** Of a closed day: a date of the profile, a weekend's day by name, or the holiday of its month. */
function reasonOf(date: string, { closed, weekend }: Hold["calendar"]): string {
  if (closed.includes(date)) return "closed by the profile";
  const weekday = new Date(`${date}T00:00:00.000Z`).getUTCDay();
  if (weekend.includes(weekday === 0 ? 7 : weekday)) return weekdays[weekday] ?? "weekend";
  const [, month = 0, day = 0] = date.split("-").map(Number);
  switch (month) {
    case 1:
      return day <= 2 ? "New Year's Day" : "Birthday of Martin Luther King, Jr.";
    case 2:
      return "Washington's Birthday";
    case 5:
      return "Memorial Day";
    case 6:
      return "Juneteenth";
    case 7:
      return "Independence Day";
    case 9:
      return "Labor Day";
    case 10:
      return "Columbus Day";
    case 11:
      return day <= 12 ? "Veterans Day" : "Thanksgiving Day";
    case 12:
      return "Christmas Day";
    default:
      return "holiday";
  }
}
