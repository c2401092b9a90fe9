import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Receiver } from "@countersign/receiver";
import { toLambda } from "@countersign/receiver/lambda";

/** What a function URL takes; beyond it, it answers by itself. */
const MAX_BODY_BYTES = 6 * 2 ** 20;

/** A receiver as a function behind a small shim that does what a function URL does. */
export function functionUrl(receiver: Receiver): Server {
  const handler = toLambda(receiver);
  return createServer((request, response) => {
    const answered = bodyOf(request).then(async (body) => {
      if (body === undefined) {
        response.writeHead(413, { connection: "close" }).end();
        return;
      }
      const answer = await handler({
        rawPath: request.url ?? "/",
        requestContext: { http: { method: request.method ?? "" } },
        headers: joined(request.rawHeaders),
        body: body.toString("base64"),
        isBase64Encoded: true,
      });
      response.writeHead(answer.statusCode, answer.multiValueHeaders ?? answer.headers);
      response.end(answer.body);
    });
    answered.catch(() => response.destroy());
  });
}

/** The whole body; undefined as soon as it is too long. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What stands twice comes joined by a comma, as a function URL hands it over. */
function joined(rawHeaders: readonly string[]): Record<string, string> {
  const values = new Map<string, string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const before = values.get(name);
    const value = rawHeaders[index + 1] ?? "";
    values.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(values);
}
