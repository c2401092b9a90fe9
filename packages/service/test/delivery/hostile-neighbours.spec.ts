import { expect, it, onTestFinished } from "vitest";
import { deliverBeside, startNeighbourhood } from "./hostile-neighbours.ts";

const DEADLINE_MS = 1000;

// That the 99th part of a hundred waits no more than twice as long needs a machine that does nothing else:
// `hostile-neighbours.slow.ts`. Here nobody waits for a hostile endpoint to end.
it("B10 B14: one merchant's events do not wait behind another's hostile endpoints, and memory stays", async () => {
  const neighbourhood = await startNeighbourhood();
  onTestFinished(() => neighbourhood.stop());
  const alone = await deliverBeside("nobody", neighbourhood, { forMs: 1000 });
  const beside = await deliverBeside("hostile", neighbourhood, { forMs: 2000 });
  expect(beside.hostile).toBeGreaterThan(50);
  expect(beside.longest).toBeLessThan(DEADLINE_MS + 1000);
  expect(beside.p50).toBeLessThan(Math.max(4 * alone.p50, DEADLINE_MS / 20));
  expect(beside.p99).toBeLessThan(Math.max(4 * alone.p99, DEADLINE_MS / 4));
  expect(beside.grown).toBeLessThan(4_000_000);
});
