import { expect, it } from "vitest";
import { workOnBacklog } from "./backlog-memory.ts";

it("P6: a million deliveries that are due take no more memory than those that lie ready", async () => {
  const { heap, resident, attempted } = await workOnBacklog(1_000_000, 30_000);
  console.log(`heap ${(heap / 1e6).toFixed(1)} MB, resident ${(resident / 1e6).toFixed(1)} MB`);
  expect(attempted).toBeGreaterThanOrEqual(30_000);
  expect(heap).toBeLessThan(8_000_000);
  // The heap before it is collected, and the pages that SQLite keeps.
  expect(resident).toBeLessThan(150_000_000);
});
