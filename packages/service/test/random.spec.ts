import { describe, expect, it } from "vitest";
import { systemRandom } from "../src/random.ts";

describe("the system's random bytes", () => {
  it.each([0, 1, 12, 16, 32, 2048, 2049, 5000])(
    "come as %i where so many are asked for",
    (length) => {
      expect(systemRandom.bytes(length)).toHaveLength(length);
    },
  );

  it("are handed out once, over the edges of the pool too", () => {
    const seen = new Set<string>();
    for (let count = 0; count < 2000; count += 1) {
      seen.add(Buffer.from(systemRandom.bytes(count % 2 === 0 ? 16 : 33)).toString("hex", 0, 16));
    }
    expect(seen.size).toBe(2000);
    expect(seen.has("00".repeat(16))).toBe(false);
  });

  it("stay what they were when more are asked for", () => {
    const kept = systemRandom.bytes(16);
    const before = Buffer.from(kept).toString("hex");
    for (let count = 0; count < 500; count += 1) systemRandom.bytes(16);
    expect(Buffer.from(kept).toString("hex")).toBe(before);
  });
});
