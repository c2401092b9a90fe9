import { describe, expect, it } from "vitest";
import { writtenPact } from "./committed-pact.ts";
import { customers } from "./customers.ts";
import { play } from "./interaction.ts";
import { refunds } from "./refunds.ts";
import { refusals } from "./refusals.ts";
import { subscribes, unsubscribes } from "./subscriptions.ts";
import { tokens } from "./tokens.ts";

const { pact, text, committed } = writtenPact({
  consumer: "countersign-client",
  provider: "countersign-service",
});
const calls = [refunds, customers, subscribes, unsubscribes, tokens, refusals];

// Pact's core is the service here.
describe("the client", { tags: "ci" }, () => {
  it.each(calls.flat().map((one) => [one.description, one] as const))(
    "makes %s, and reads the answer",
    async (_description, interaction) => {
      await play(pact, interaction);
      expect.hasAssertions();
    },
  );

  // With `-u` the written pact replaces the committed one.
  it("writes the committed pact with the service, byte for byte", async () => {
    await expect(text()).toMatchFileSnapshot(committed);
  });
});
