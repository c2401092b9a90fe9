import { fileURLToPath } from "node:url";
import { requirements } from "@countersign/contract-kit";
import { readPacts } from "@countersign/contract-kit/pact";
import { pactTests } from "@countersign/contract-kit/vitest";
import { describe, expect, it } from "vitest";
import { openReceiver, openService } from "./open-provider.ts";

const folders = [fileURLToPath(new URL("../pacts", import.meta.url))];

// Pact's core plays each interaction against another process.
describe("verified by Pact", { tags: "ci" }, () => {
  pactTests({ provider: "countersign-service", pacts: folders, open: openService });
  pactTests({ provider: "merchant-receiver", pacts: folders, open: openReceiver });
});

it("every interaction of a pact names a known requirement", () => {
  const ids = requirements().map(({ id }) => id);
  for (const { interactions } of readPacts(folders))
    for (const { requirement } of interactions) expect(ids).toContain(requirement);
});
