/**
 * What `format` means here. JSON Schema leaves it to each implementation; S 2.3 and S 4.3 do not.
 * The generated validators hold a copy of these functions.
 */
export const formats: {
  readonly "date-time": (text: string) => boolean;
  readonly uri: (text: string) => boolean;
} = { "date-time": isTimestamp, uri: isHttpUrl };

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** `YYYY-MM-DDTHH:mm:ss.SSSZ` on a date that the calendar has, without leap seconds (S 2.3). */
function isTimestamp(text: string): boolean {
  if (!TIMESTAMP.test(text)) return false;
  const instant = Date.parse(text);
  // The round trip refuses what Date.parse forgives: 30 February, 24:00.
  return !Number.isNaN(instant) && new Date(instant).toISOString() === text;
}

const HTTP_URL = /^https?:\/\/[!-~]+$/i;

/** An absolute http(s) URL of ASCII without user name, password and fragment (S 4.3). */
function isHttpUrl(text: string): boolean {
  if (!HTTP_URL.test(text) || text.includes("#") || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.username === "" && url.password === "" && url.hostname !== "";
}
