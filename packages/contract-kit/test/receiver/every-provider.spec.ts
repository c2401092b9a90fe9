import { providersByName } from "@countersign/schemas/providers-by-name";
import { describe, expect, it } from "vitest";
import { requirements } from "../../src/check.ts";
import { receiverChecks } from "../../src/checks.ts";
import { Signing } from "../../src/harness/signing.ts";
import { run } from "../../src/run.ts";
import { ciAfter } from "../../../../test/tags.ts";
import { openVendor } from "./open-vendor.ts";

const documents = [...providersByName.values()];
const [signable, unsignable] = [
  documents.filter(({ signature }) => signature.keyFrom === undefined),
  documents.filter(({ signature }) => signature.keyFrom !== undefined),
];
describe("attempts of a provider", () => {
  for (const [index, provider] of signable.entries())
    it(
      `of ${provider.name} are accepted by our receiver, whose handler gets their id and type, and forged ones are answered 4xx`,
      { tags: ciAfter(12, index) },
      async () => {
        const { findings } = await run({
          target: await openVendor(provider),
          checks: receiverChecks,
          requirements: requirements("receiver"),
          only: ["receiver/genuine", "receiver/refusals"],
        });
        expect(
          findings.map(
            ({ requirement, status, message }) => `${requirement.id} ${status}${message}`,
          ),
        ).toEqual([
          "R-ACK-GENUINE pass",
          "R-ACK-IN-TIME pass",
          "R-ROUTE-ONE pass",
          "R-REFUSE-STATUS pass",
          "R-ACK-GENUINE pass",
        ]);
      },
    );

  it.each(unsignable.map((provider) => [provider.name, provider] as const))(
    "of %s cannot be made, because only it has the keys",
    (_name, provider) => {
      expect(() => new Signing(provider)).toThrow(/keys that .* names and only/);
    },
  );
});
