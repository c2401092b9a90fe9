import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Receiver } from "@countersign/receiver";
import { toLambda } from "@countersign/receiver/lambda";

/** What a function URL takes; beyond it, it answers by itself. */
const MAX_BODY_BYTES = 6 * 2 ** 20;
const BODY_MS = 10_000;

/** A receiver as a function behind a small shim that does what a function URL does. */
export function functionUrl(receiver: Receiver): Server {
  const handler = toLambda(receiver);
  return createServer((request, response) => {
    const answered = bodyOf(request).then(async (body) => {
      if (!Buffer.isBuffer(body)) {
        response.writeHead(body, { connection: "close" }).end();
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

/** The whole body; or the status of its refusal, as soon as it is too long or too slow. */
function bodyOf(request: IncomingMessage): Promise<Buffer | 413 | 408> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (read: Buffer | 413 | 408): void => {
      clearTimeout(deadline);
      resolve(read);
    };
    const deadline = setTimeout(() => {
      end(408);
    }, BODY_MS);
    if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) end(413);
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) end(413);
      else chunks.push(chunk);
    });
    request.on("end", () => {
      end(Buffer.concat(chunks));
    });
    request.on("close", () => {
      end(408);
    });
  });
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
