import type { IncomingMessage } from "node:http";
import { refuse } from "./problem.ts";

/**
 * Reads the body's bytes as they arrived. Counts the bytes that arrive, whatever `Content-Length` says, and
 * keeps nothing of a body that is too long.
 *
 * @param limit Bytes, inclusive.
 * @throws {Refused} `UNSUPPORTED_MEDIA_TYPE`: a content coding, since a few bytes could inflate to any number.
 * @throws {Refused} `PAYLOAD_TOO_LARGE`: more than `limit` bytes.
 * @throws {SenderGone} The connection ended first.
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const coding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (coding !== "identity") throw refuse("UNSUPPORTED_MEDIA_TYPE");
  if (Number(request.headers["content-length"] ?? 0) > limit) throw refuse("PAYLOAD_TOO_LARGE");
  return new Promise<Buffer>((resolve, reject) => {
    let chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) {
        chunks = [];
        // The rest is discarded, until the sender ends it or the server's deadline.
        request.removeAllListeners("data").resume();
        reject(refuse("PAYLOAD_TOO_LARGE"));
      } else {
        chunks.push(chunk);
      }
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", () => reject(new SenderGone()));
    request.on("close", () => {
      // "close" is emitted after a complete body too.
      if (!request.readableEnded) reject(new SenderGone());
    });
  });
}

/** The connection ended before the request did, so no one receives an answer. */
export class SenderGone extends Error {
  constructor() {
    super("the sender went away");
    this.name = new.target.name;
  }
}

/**
 * Returns the media type of a `Content-Type` header in lower case, or `undefined` if it is absent,
 * malformed, or has a parameter other than `charset=utf-8` (RFC 9110, section 8.3).
 */
export function mediaTypeOf(field: string | undefined): string | undefined {
  const match = /^([\w!#$&^.+-]+\/[\w!#$&^.+-]+)((?:[ \t]*;[^;]*)*)$/.exec(field?.trim() ?? "");
  if (match === null) return undefined;
  const [, type = "", parameters = ""] = match;
  const isUtf8 = parameters
    .split(";")
    .map((parameter) => parameter.trim().toLowerCase())
    .every((parameter) => ["", "charset=utf-8", 'charset="utf-8"'].includes(parameter));
  return isUtf8 ? type.toLowerCase() : undefined;
}

/**
 * True if an `Accept` header admits JSON (RFC 9110, section 12.5.1): the most specific range that covers
 * `application/json` decides, and its weight 0 excludes it. Other parameters of a range are ignored, since
 * clients write `application/json; charset=utf-8`. Without the header, everything is admitted.
 */
export function acceptsJson(field: string | undefined): boolean {
  if (field === undefined || field.trim() === "") return true;
  let best = { precedence: -1, weight: 0 };
  for (const range of field.split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const precedence = ["*/*", "application/*", "application/json"].indexOf(type);
    if (precedence > best.precedence) best = { precedence, weight: weightOf(parameters) };
  }
  return best.precedence >= 0 && best.weight > 0;
}

function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  return weight === undefined ? 1 : Number(weight.slice(2)) || 0;
}

/** The parameters of a request target's query. Never throws, whatever precedes the query. */
export function queryOf(target = "/"): URLSearchParams {
  const at = target.indexOf("?");
  return new URLSearchParams(at < 0 ? "" : target.slice(at));
}

/** The members of a value of any kind; none if it is not an object. */
export function membersOf(body: unknown): Partial<Record<string, unknown>> {
  return typeof body === "object" && body !== null && !Array.isArray(body) ? { ...body } : {};
}
