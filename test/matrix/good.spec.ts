import { createServer } from "node:http";
import { receiverChecks, requirements } from "@countersign/contract-kit";
import { toNode } from "@countersign/receiver/node";
import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { alarmsAt } from "./good.ts";
import { byHand } from "./good/by-hand.ts";
import { openOurs } from "./good/open-ours.ts";

const options = { checks: receiverChecks, requirements: requirements() };
const ours = openOurs((receiver) => {
  const answer = toNode(receiver);
  return createServer((incoming, outgoing) => void answer(incoming, outgoing));
}, profiles.standard);

// Two runs with two seeds; `pnpm matrix --repeat 100` makes as many as one likes, at every good receiver.
describe("a good receiver raises no alarm", () => {
  it.each([
    ["ours", { name: "ours", open: ours }, 1],
    ["one by hand", { name: "by hand", open: byHand() }, 2],
  ])("%s", async (_what, good, seed) => {
    expect(await alarmsAt(good, { ...options, seed })).toEqual([]);
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
