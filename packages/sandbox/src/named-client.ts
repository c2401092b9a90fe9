import { readJson } from "@countersign/rules";
import type { Policy } from "@countersign/service";
import type { IncomingMessage } from "node:http";
import { readAhead } from "./read-ahead.ts";

/**
 * The client that a call for a token names, by HTTP Basic or in its form or JSON body (RFC 6749, section
 * 2.3.1). Believed as it stands: whether it may have a token the service says.
 */
export async function namedClient(
  request: IncomingMessage,
  { limits }: Policy,
): Promise<string | undefined> {
  const { authorization = "", "content-type": mediaType = "" } = request.headers;
  const encoded = /^basic +(\S+)$/i.exec(authorization)?.[1];
  if (encoded !== undefined) {
    const [id = ""] = Buffer.from(encoded, "base64").toString().split(":");
    return new URLSearchParams(`id=${id}`).get("id") ?? undefined;
  }
  const bytes = await readAhead(request, limits.bodyBytes);
  if (/^application\/x-www-form-urlencoded/i.test(mediaType)) {
    return new URLSearchParams(bytes.toString()).get("client_id") ?? undefined;
  }
  const reading = readJson(bytes, { depth: limits.depth });
  const value = reading.ok ? reading.value : undefined;
  if (typeof value !== "object" || value === null || !("client_id" in value)) return undefined;
  return typeof value.client_id === "string" ? value.client_id : undefined;
}
