import type { Attempt } from "../../src/delivery/attempt.ts";
import type { Claim } from "../../src/delivery/claim.ts";
import type { DelivererPorts } from "../../src/delivery/deliver.ts";
import type { Answer } from "../../src/delivery/transport.ts";
import { answered, claimDue, fakeTransport, REAL_START, type Queue } from "./queue.ts";

// A worker that is led by hand: it claims, and says how the attempt went.

export const portsOf = (queue: Queue): DelivererPorts =>
  queue.ports(fakeTransport(() => answered(204)));

/** The claim of what is due first on `clk_1`. */
export async function claimOne(queue: Queue): Promise<Claim> {
  const [one] = await claimDue("clk_1", portsOf(queue), { total: 1 });
  if (one === undefined) throw new Error("nothing is due");
  return one;
}

export const attemptOf = (claim: Claim, answer: Answer): Attempt => ({
  claim,
  startedAt: REAL_START,
  durationMs: 20,
  answer,
});
