import { expect, it } from "vitest";
import { deliverBeside } from "./hostile-neighbours.ts";

const DEADLINE_MS = 1000;

// That the 99th part of a hundred waits no more than twice as long needs a machine that does nothing else:
// `hostile-neighbours.slow.ts`. Here nobody waits for a hostile endpoint to end.
it("B10 B14: one merchant's events do not wait behind another's hostile endpoints, and memory stays", async () => {
  const alone = await deliverBeside("nobody", { forMs: 1000 });
  const beside = await deliverBeside("hostile", { forMs: 2000 });
  expect(beside.hostile).toBeGreaterThan(50);
  expect(beside.longest).toBeLessThan(DEADLINE_MS + 1000);
  expect(beside.p50).toBeLessThan(DEADLINE_MS / 10);
  expect(beside.p99).toBeLessThan(Math.max(2 * alone.p99, DEADLINE_MS / 2));
  expect(beside.grown).toBeLessThan(4_000_000);
});
