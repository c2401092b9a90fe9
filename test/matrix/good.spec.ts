import { receiverChecks, requirements } from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";
import { alarmsAt } from "./good.ts";
import { byHand } from "./good/by-hand.ts";

const options = { checks: receiverChecks, requirements: requirements() };

// Ours is in packages/contract-kit/test/receiver/, and all of them are in the slow lane; `pnpm matrix
// --repeat 100` makes as many runs as one likes.
describe("a good receiver raises no alarm", () => {
  it("one by hand", async () => {
    expect(await alarmsAt({ name: "by hand", open: byHand() }, { ...options, seed: 2 })).toEqual(
      [],
    );
  });

  it("and what nobody expected, or what no longer comes, is an alarm", async () => {
    const careless = byHand({ wrongMethod: { status: 200 } });
    const bytes = ["GET /webhooks"];
    const findings = [{ requirement: "R-VERIFY-RAW", why: "it was so", bytes }];
    const checks = receiverChecks.filter(({ id }) => id === "receiver/methods");
    const alarms = await alarmsAt({ name: "x", findings, open: careless }, { ...options, checks });
    expect(alarms).toEqual([
      expect.stringMatching(/^x: receiver\/methods fail R-METHOD: /),
      "x: R-VERIFY-RAW is listed as found, and was not",
    ]);
  });
});
