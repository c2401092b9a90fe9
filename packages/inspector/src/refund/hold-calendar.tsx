import { Time } from "../parts/time.tsx";
import type { RefundDetail } from "../remote/shapes.ts";

const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short", timeZone: "UTC" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

/** The days from a settlement to the threshold, business days counted and closed ones named. */
export function HoldCalendar({ hold }: { readonly hold: NonNullable<RefundDetail["hold"]> }) {
  let counted = 0;
  const days = hold.days.map((one, index) => {
    if (index > 0 && one.isOpen) counted += 1;
    return { ...one, counted };
  });
  return (
    <>
      <ol className="calendar">
        {days.map(({ date, isOpen, closed, counted: number }, index) => {
          const at = new Date(`${date}T00:00:00Z`);
          const isFirst = index === 0;
          return (
            <li key={date} className={isFirst ? "settled" : isOpen ? "open" : "closed"}>
              <span className="note">{weekday.format(at)}</span>
              <strong>{day.format(at)}</strong>
              <span>{isFirst ? "settled" : isOpen ? `day ${String(number)}` : closed}</span>
            </li>
          );
        })}
      </ol>
      <p className="note">
        Settled <Time at={hold.settledAt} isLong />, eligible from{" "}
        <Time at={hold.eligibleAt} isLong />: {hold.businessDays} business days in {hold.timeZone}.
      </p>
    </>
  );
}
