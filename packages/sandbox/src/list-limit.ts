import { refuseMembers, type Call } from "@countersign/service";

/**
 * How many entries a list call wants: its query's `limit`, 1 to 1000. Default 100.
 *
 * @throws {Refused} `INVALID_REQUEST`: another value.
 */
export function listLimit(call: Call): number {
  const text = queryOf(call).get("limit") ?? "100";
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= 1000) return limit;
  const message = "the query's limit must be a whole number from 1 to 1000";
  throw refuseMembers([{ pointer: "/limit", code: "INVALID_VALUE", message }]);
}

/** A call's query parameters. */
export function queryOf({ request }: Call): URLSearchParams {
  return new URL(request.originalUrl, "http://sandbox.invalid").searchParams;
}
