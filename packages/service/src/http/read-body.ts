import type { IncomingMessage } from "node:http";
import { refuse } from "./refuse.ts";
import { SenderGone } from "./sender-gone.ts";

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
