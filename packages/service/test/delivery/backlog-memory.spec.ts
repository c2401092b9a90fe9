import { expect, it } from "vitest";
import { workOnBacklog } from "./backlog-memory.ts";

// The form with a million is in `backlog-memory.slow.ts`, under the same bound.
it("P6: 50,000 deliveries that are due take no more memory than those that lie ready", async () => {
  const { heap, attempted } = await workOnBacklog(50_000, 3000);
  expect(attempted).toBeGreaterThanOrEqual(3000);
  // All of them would be some 20 MB, by 400 bytes.
  expect(heap).toBeLessThan(8_000_000);
});
