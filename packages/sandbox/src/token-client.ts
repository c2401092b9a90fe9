import { readJson } from "@countersign/rules";
import { isObject, type Policy } from "@countersign/service/internal";
import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";

/**
 * Returns the client of a token request, from HTTP Basic or its form or JSON body (RFC 6749,
 * section 2.3.1). The name is not verified: the service decides about the token.
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
  const id = reading.ok && isObject(reading.value) ? reading.value["client_id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

/**
 * Reads a body's bytes and puts them back for the next reader of the request.
 *
 * @param limit Number of bytes after which it stops waiting.
 * @returns The bytes that arrived; less than the whole body if the sender ends first.
 */
async function readAhead(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Reading in the turn in which a body ends would already report its end.
  await setImmediate();
  const { "content-length": announced, "transfer-encoding": coding } = request.headers;
  const expected = Number(announced ?? (coding === undefined ? 0 : Infinity));
  const isOver = (): boolean => length >= expected || length > limit || request.complete;
  if (expected === 0 || (request.complete && request.readableLength === 0)) return Buffer.alloc(0);
  await new Promise<void>((resolve) => {
    const take = (): void => {
      // Reading at the end would report the end, and nothing could be put back.
      while (request.readableLength > 0) {
        // Without an encoding set, a request is read as bytes.
        const chunk = request.read() as Buffer;
        chunks.push(chunk);
        length += chunk.length;
      }
      if (!isOver()) return;
      request.off("readable", take);
      if (length > 0) request.unshift(Buffer.concat(chunks));
      resolve();
    };
    request.on("readable", take);
    request.once("close", resolve);
  });
  return Buffer.concat(chunks);
}
