import { describe, expect, it } from "vitest";
import { flood } from "./flood.ts";

const WAVES = 2000;

describe(`A27: ${String(WAVES)} waves of twenty times what is stored at once`, () => {
  it("lose nothing that was accepted, and leave the process as large as it was", async () => {
    const { accepted, refused, lost, held } = await flood({ waves: WAVES });
    console.log({ accepted, refused, megabytes: held.map((bytes) => Math.round(bytes / 1e6)) });
    expect(lost).toEqual([]);
    expect(accepted + refused).toBe(WAVES * 256 * 20);
    // The second half grows by less than a tenth of what the first one came to.
    const half = held[Math.floor(held.length / 2)] ?? 0;
    expect(held.at(-1)).toBeLessThan(half * 1.1);
  }, 3_600_000);
});
