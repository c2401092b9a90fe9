import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { singleBytes } from "../../../test/held-memory.ts";
import { CollectedBytes, collectBytes } from "../src/collected-bytes.ts";

it("collects chunks of any size in order, without keeping them", async () => {
  const parts = ["", "a", "bc", "", "d".repeat(1000), "e"];
  const chunks = parts.map((part) => Buffer.from(part));
  const bytes = new CollectedBytes();
  for (const chunk of chunks) bytes.add(chunk);
  for (const chunk of chunks) chunk.fill(0);
  expect(bytes.size).toBe(1004);
  expect(Buffer.from(bytes.all()).toString()).toBe(parts.join(""));
});

it("says before each chunk how much memory it takes with it, at most twice its bytes", () => {
  const bytes = new CollectedBytes();
  for (let size = 1; size < 5000; size += 1) {
    const capacity = bytes.capacityWith(1);
    bytes.add(Uint8Array.of(1));
    expect(bytes.all().buffer.byteLength).toBe(capacity);
    expect(capacity).toBeLessThan(2 * size + 1);
  }
});

it("reads a stream up to its limit, inclusive", async () => {
  const read = (limit: number) =>
    collectBytes(Readable.from([Buffer.from("ab"), Buffer.from("c")]), limit);
  expect(await read(3)).toEqual(new Uint8Array(Buffer.from("abc")));
  expect(await read(2)).toBeUndefined();
});

it("holds a stream of single bytes in a small multiple of its bytes", async () => {
  const size = 100_000;
  const bytes = singleBytes(size);
  expect(await collectBytes(bytes, size)).toHaveLength(size);
  expect(bytes.held()).toBeLessThan(10 * size);
});
