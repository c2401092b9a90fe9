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

describe("the client makes", () => {
  it.each(calls.flat().map((one) => [one.description, one] as const))(
    "%s, and reads the answer",
    async (_description, interaction) => {
      await play(pact, interaction);
      expect.hasAssertions();
    },
  );
});

describe("the pact of the client and the service", () => {
  // With `-u` what was written becomes the committed one.
  it("is the committed one, byte for byte", async () => {
    await expect(text()).toMatchFileSnapshot(committed);
  });
});
