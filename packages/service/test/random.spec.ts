import { expect, it } from "vitest";
import { systemRandom } from "../src/random.ts";

it("random bytes have the requested length, are handed out once and stay unchanged", () => {
  const seen = new Set<string>();
  const kept = systemRandom.bytes(16);
  const before = Buffer.from(kept).toString("hex");
  for (let count = 0; count < 2000; count += 1) {
    seen.add(Buffer.from(systemRandom.bytes(count % 2 === 0 ? 16 : 33)).toString("hex", 0, 16));
  }
  expect(seen.size).toBe(2000);
  expect(seen.has("00".repeat(16))).toBe(false);
  expect(Buffer.from(kept).toString("hex")).toBe(before);
  for (const length of [0, 1, 2048, 2049, 5000])
    expect(systemRandom.bytes(length)).toHaveLength(length);
});
