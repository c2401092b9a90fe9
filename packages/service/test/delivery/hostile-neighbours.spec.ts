import { expect, it, onTestFinished } from "vitest";
import { deliverBeside, startNeighbourhood } from "./hostile-neighbours.ts";

const DEADLINE_MS = 1000;

// That the 99th part of a hundred waits no more than twice as long needs a machine that does nothing else:
// `hostile-neighbours.slow.ts`. Here nobody waits for a hostile endpoint to end.
it("B10 B14: one merchant's events do not wait behind another's hostile endpoints, and memory stays", async () => {
  const neighbourhood = await startNeighbourhood();
  onTestFinished(() => neighbourhood.stop());
  const alone = await deliverBeside("nobody", neighbourhood, { forMs: 1000 });
  const beside = await deliverBeside("hostile", neighbourhood, { forMs: 1500 });
  expect(beside.hostile).toBeGreaterThan(50);
  expect(beside.longest).toBeLessThan(DEADLINE_MS + 1000);
  // Tests run beside each other: what others take of the processors is no hostile endpoint's.
  const busy = 2 * beside.stalled;
  expect(beside.p50).toBeLessThan(DEADLINE_MS / 20 + busy);
  expect(beside.p99).toBeLessThan(Math.max(2 * alone.p99, DEADLINE_MS / 4) + busy);
  expect(beside.grown).toBeLessThan(4_000_000);
});
