import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";

/**
 * A body's bytes without taking them from whoever reads the request next.
 *
 * @param limit Bytes after which no more is waited for.
 * @returns What came; less than the whole body where the sender ends first.
 */
export async function readAhead(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Beginning to read tells the end of a body that ends in this very turn.
  await setImmediate();
  const { "content-length": told, "transfer-encoding": coding } = request.headers;
  const expected = Number(told ?? (coding === undefined ? 0 : Infinity));
  const isOver = (): boolean => length >= expected || length > limit || request.complete;
  if (expected === 0 || (request.complete && request.readableLength === 0)) return Buffer.alloc(0);
  await new Promise<void>((resolve) => {
    const take = (): void => {
      // Reading at the end would tell the end, and nothing could be put back.
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
