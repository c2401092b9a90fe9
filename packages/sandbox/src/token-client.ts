import { readJson } from "@countersign/rules";
import {
  isObject,
  TOKEN_BODY_BYTES,
  type Policy,
  type Service,
} from "@countersign/service/internal";
import type { IncomingMessage, ServerResponse } from "node:http";

export interface NamedClientOptions {
  readonly service: Pick<Service, "bodies">;
  readonly policy: Policy;
}

/**
 * Returns the client of a token request, from HTTP Basic or its form or JSON body (RFC 6749,
 * section 2.3.1). The name is not verified: the service decides about the token.
 */
export async function namedClient(
  { service: { bodies }, policy: { limits } }: NamedClientOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string | undefined> {
  const { authorization = "", "content-type": mediaType = "" } = request.headers;
  const encoded = /^basic +(\S+)$/i.exec(authorization)?.[1];
  if (encoded !== undefined) {
    const [id = ""] = Buffer.from(encoded, "base64").toString().split(":");
    return new URLSearchParams(`id=${id}`).get("id") ?? undefined;
  }
  const limit = Math.min(TOKEN_BODY_BYTES, limits.bodyBytes);
  const bytes = await bodies
    .read({ request, response, limit, isAuthenticated: false })
    // The service gets the same error, and answers.
    .catch(() => undefined);
  if (bytes === undefined) return undefined;
  if (/^application\/x-www-form-urlencoded/i.test(mediaType)) {
    return new URLSearchParams(bytes.toString()).get("client_id") ?? undefined;
  }
  const reading = readJson(bytes, { depth: limits.depth });
  const id = reading.ok && isObject(reading.value) ? reading.value["client_id"] : undefined;
  return typeof id === "string" ? id : undefined;
}
