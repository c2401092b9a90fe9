/** RFC 9110 5.6.7, the only form that senders may generate; the two obsolete ones are not read. */
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The wait that a `Retry-After` header asks for (RFC 9110 10.2.3), in milliseconds from `now`.
 *
 * @param header The field's value: whole seconds or an HTTP date.
 * @param now This machine's clock, in milliseconds: an HTTP date is real time.
 * @returns 0 or more; `undefined` where the header is missing, garbled, negative or of more than 12 digits.
 *   A date in the past is 0. What is done with the wait is the schedule's to decide.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,12}$/.test(header)) return Number(header) * 1000;
  if (!HTTP_DATE.test(header)) return undefined;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
