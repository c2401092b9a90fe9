const short = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const long = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  year: "numeric",
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
  timeZoneName: "short",
});

/** A time in the reader's zone, with UTC where the pointer rests on it. */
export function Time({ at, isLong = false }: { readonly at: string; readonly isLong?: boolean }) {
  const instant = new Date(at);
  return (
    <time dateTime={at} title={at.replace("T", " ").replace("Z", " UTC")} className="time">
      {Number.isNaN(instant.getTime()) ? at : (isLong ? long : short).format(instant)}
    </time>
  );
}
