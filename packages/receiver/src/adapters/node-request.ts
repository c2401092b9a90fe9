import type { Attempt } from "../receive.ts";
import { type ByteStream, readStream } from "../read-body.ts";

/** What an adapter needs of Node's `IncomingMessage`, and of what frameworks add to it. */
export interface NodeRequest extends ByteStream {
  readonly rawHeaders: readonly string[];
  readonly readableDidRead: boolean;
  readonly readableEnded: boolean;
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

/** The attempt of a Node.js request: kept bytes where a framework kept them, else the unread stream. */
export function nodeAttempt(request: NodeRequest, path: string): Attempt {
  const kept = keptBytes(request.rawBody) ?? keptBytes(request.body);
  const read: Attempt["body"] = (limits) =>
    // True after any parser; "body" alone says nothing, since Express 4 sets `{}` without parsing.
    request.readableDidRead
      ? Promise.resolve({ error: "CS_BODY_CONSUMED" })
      : readStream(request, limits);
  return { headers: headersOf(request.rawHeaders), path, body: kept ?? read };
}

const keptBytes = (value: unknown): Uint8Array | undefined =>
  value instanceof Uint8Array ? value : undefined;

/**
 * Headers as they came. Node's own `headers` joins most duplicates with a comma and drops others;
 * here a header that stands twice is a list, which the signature's grammar refuses.
 */
function headersOf(rawHeaders: readonly string[]): Record<string, string | string[]> {
  // Without a prototype, so that a header named "__proto__" is a header.
  const headers = Object.create(null) as Record<string, string | string[]>;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const value = rawHeaders[index + 1] ?? "";
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}
