/** RFC 9110, section 5.6.7: the only form that senders may generate. */
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The wait that a `Retry-After` field asks for (RFC 9110, section 10.2.3), in milliseconds from `now`.
 *
 * @returns 0 or more; `undefined` if the field is missing, garbled, negative or of more than 12
 *   digits. A date in the past is 0.
 */
export function retryAfterMs(field: string | undefined, now: number): number | undefined {
  if (field === undefined) return undefined;
  if (/^\d{1,12}$/.test(field)) return Number(field) * 1000;
  const at = HTTP_DATE.test(field) ? Date.parse(field) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
