import { Readable } from "node:stream";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readWebStream } from "../../src/adapters/fetch.ts";
import { readNodeStream } from "../../src/adapters/node-http.ts";
import { BodyMemory, type IncomingBody } from "../../src/pipeline/body.ts";

const incoming = (bodyBytes = 1000): IncomingBody =>
  new BodyMemory({ bodyBytes, bodyMs: 5000, bytesInFlight: 200_000 }).open();

describe("an incoming body", () => {
  it("has the bytes that were pushed, and never more than its limit", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.uint8Array({ maxLength: 40 }),
            // Around the size from which chunks are kept as they are.
            fc.integer({ min: 16_300, max: 16_500 }).map((size) => new Uint8Array(size).fill(size)),
          ),
        ),
        fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constant(100_000)),
        (chunks, limit) => {
          const body = incoming(limit);
          const copies = chunks.map((chunk) => chunk.slice());
          let expected = Buffer.alloc(0);
          for (const chunk of chunks) {
            const next = Buffer.concat([expected, chunk]);
            expect(body.push(chunk)).toBe(next.length <= limit ? undefined : "CS_BODY_TOO_LARGE");
            if (next.length > limit) break;
            expected = next;
          }
          expect(Buffer.from(body.all()).equals(expected)).toBe(true);
          // The chunks are the sender's: none was written to.
          expect(chunks).toEqual(copies);
        },
      ),
    );
  });

  it("takes the bytes of a view of any kind", () => {
    const body = incoming();
    const memory = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8]).buffer;
    expect(body.push(new Uint16Array(memory, 2, 2))).toBeUndefined();
    expect(body.push(new DataView(memory, 7))).toBeUndefined();
    expect([...body.all()]).toEqual([3, 4, 5, 6, 8]);
  });
});

describe.each([
  ["Node.js", (source: Readable) => readNodeStream(source, incoming())],
  ["the Web", (source: Readable) => readWebStream(Readable.toWeb(source), incoming())],
])("reading a stream of %s", (_kind, read) => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it.each([
    ["its bytes", Readable.from([Buffer.from("ab"), Buffer.from("c")]), Buffer.from("abc")],
    ["nothing", Readable.from([]), Buffer.alloc(0)],
    ["too much", Readable.from([Buffer.alloc(1001)]), { error: "CS_BODY_TOO_LARGE" }],
    ["a failure", failing(new Error("reset")), { error: "CS_BODY_ABORTED" }],
    ["an end without a failure", failing(undefined), { error: "CS_BODY_ABORTED" }],
  ])("gives %s, and leaves no timer behind", async (_what, source, expected) => {
    const result = await read(source);
    expect("error" in result ? result : Buffer.from(result)).toEqual(expected);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("gives up when its time is over, and not before", async () => {
    const settled = vi.fn<(result: unknown) => void>();
    void read(new Readable({ read: () => undefined })).then(settled);
    await vi.advanceTimersByTimeAsync(4999);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toHaveBeenCalledWith({ error: "CS_BODY_TIMEOUT" });
  });
});

/** A stream that is destroyed after its first bytes, as a sender's connection is. */
function failing(error: Error | undefined): Readable {
  let reads = 0;
  return new Readable({
    read() {
      if ((reads += 1) === 1) this.push(Buffer.from("a"));
      else this.destroy(error);
    },
  });
}
