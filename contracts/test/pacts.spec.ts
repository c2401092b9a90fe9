import { fileURLToPath } from "node:url";
import { requirements } from "@countersign/contract-kit";
import { readPacts } from "@countersign/contract-kit/pact";
import { pactTests } from "@countersign/contract-kit/vitest";
import { describe, expect, it } from "vitest";
import { openReceiver, openService } from "./open-provider.ts";

const folders = [fileURLToPath(new URL("../pacts", import.meta.url))];
const pacts = readPacts(folders);
const ids = requirements().map(({ id }) => id);

pactTests({ provider: "countersign-service", pacts: folders, open: openService });
pactTests({ provider: "merchant-receiver", pacts: folders, open: openReceiver });

describe.each(pacts.map((pact) => [`${pact.consumer} and ${pact.provider}`, pact] as const))(
  "the pact of %s",
  (_name, { interactions }) => {
    it("names a known requirement in each interaction", () => {
      for (const { requirement } of interactions) expect(ids).toContain(requirement);
    });
  },
);
