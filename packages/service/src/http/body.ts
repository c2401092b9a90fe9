import type { IncomingMessage } from "node:http";
import { refuse } from "./problem.ts";

/**
 * The body's bytes as they arrived. Counts what really comes, whatever `Content-Length` says, and
 * keeps nothing of a body that is too long.
 *
 * @param limit Bytes, inclusive.
 * @throws {Refused} `UNSUPPORTED_MEDIA_TYPE`: a content coding; a few bytes could inflate to any number.
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
        // What still comes flows into nothing, until the server's deadline or the sender ends it.
        request.removeAllListeners("data").resume();
        reject(refuse("PAYLOAD_TOO_LARGE"));
      } else {
        chunks.push(chunk);
      }
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", () => reject(new SenderGone()));
    request.on("close", () => {
      // Also the end of a body that was read: an error that nobody sees would be dear to make.
      if (!request.readableEnded) reject(new SenderGone());
    });
  });
}

/** The connection ended before the request did: there is nobody to answer. */
export class SenderGone extends Error {
  constructor() {
    super("the sender went away");
    this.name = new.target.name;
  }
}

/**
 * The media type of a `Content-Type` field in lower case, or `undefined` where it is absent, not
 * well-formed, or has a parameter other than `charset=utf-8` (RFC 9110, section 8.3).
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
 * Whether an `Accept` field lets this service answer in JSON (RFC 9110, section 12.5.1): the most
 * specific range that covers `application/json` decides, its weight 0 excludes. Parameters of a range
 * are not looked at, since clients write `application/json; charset=utf-8`. No field accepts all.
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

/** The members of a body that may be anything. */
export function membersOf(body: unknown): Partial<Record<string, unknown>> {
  return typeof body === "object" && body !== null && !Array.isArray(body) ? { ...body } : {};
}
