import type { IncomingMessage } from "node:http";

/**
 * Lets a POST or PUT without a body pass for `{}`: the controls that take no members should not need
 * one. With a body the media type is checked as everywhere.
 */
export function readAbsentBodyAsEmpty(request: IncomingMessage): void {
  const { method, headers } = request;
  if (method !== "POST" && method !== "PUT") return;
  if (headers["transfer-encoding"] !== undefined) return;
  if (Number(headers["content-length"] ?? 0) !== 0) return;
  headers["content-type"] = "application/json";
  delete headers["content-length"];
  request.unshift(Buffer.from("{}"));
}
