import type { ReceiverResponse } from "../respond.ts";

// RFC 9110 sections 5.6.2 and 5.5: a token, and no control characters but the tab.
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * The answer of a `respond` policy, if HTTP can carry it: a status of 200 to 599 and clean headers.
 * Checked here, since every framework throws at another moment, and some of them end the process.
 */
export function sendable({
  status,
  headers,
  body,
}: ReceiverResponse): ReceiverResponse | undefined {
  if (!Number.isInteger(status) || status < 200 || status > 599) return undefined;
  if (typeof body !== "string") return undefined;
  for (const [name, value] of Object.entries(headers))
    if (!NAME.test(name) || typeof value !== "string" || !VALUE.test(value)) return undefined;
  return BODILESS.has(status) ? { status, headers, body: "" } : { status, headers, body };
}
