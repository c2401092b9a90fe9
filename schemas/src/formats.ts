/**
 * Validators of `format`. JSON Schema leaves their meaning to each implementation; S 2.3 and S 4.3 define it.
 */
export const formats: {
  readonly "date-time": (text: string) => boolean;
  readonly uri: (text: string) => boolean;
} = { "date-time": isTimestamp, uri: isHttpUrl };

const TIMESTAMP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** `YYYY-MM-DDTHH:mm:ss.SSSZ` on a date that the calendar has, without leap seconds (S 2.3). */
function isTimestamp(text: string): boolean {
  if (!TIMESTAMP.test(text)) return false;
  const day = Number(text.slice(8, 10));
  if (day <= 28) return true;
  // The calendar repeats every 400 years; `Date` reads years below 100 as 19xx.
  const year = 2000 + (Number(text.slice(0, 4)) % 400);
  const lastDay = new Date(Date.UTC(year, Number(text.slice(5, 7)), 0)).getUTCDate();
  return day <= lastDay;
}

const HTTP_URL = /^https?:\/\/[!-~]+$/i;

/** An absolute http(s) URL of ASCII without user name, password and fragment (S 4.3). */
function isHttpUrl(text: string): boolean {
  if (!HTTP_URL.test(text) || text.includes("#") || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.username === "" && url.password === "" && url.hostname !== "";
}
