import { providerChecks, requirements } from "@countersign/contract-kit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { matrixOf, offDiagonal } from "./matrix.ts";
import { broken } from "./providers/faults.ts";
import { openProvider, type OpenedProvider } from "./providers/open-provider.ts";
import { providerFaults } from "./providers/provider-faults.ts";
import { seed } from "../seed.ts";

let provider: OpenedProvider;
beforeAll(async () => {
  provider = await openProvider();
});
afterAll(() => provider.close());
const faults = providerFaults(() =>
  Promise.resolve({ target: provider.target, close: () => Promise.resolve() }),
);

// Another one each time; a failure says which.
describe(`with the seed ${String(seed)}, a service that`, () => {
  it.each(broken.map((one) => [one.what, one.requirement, one.check] as const))(
    "%s fails %s",
    async (what, _requirement, check) => {
      const rows = await matrixOf({
        faults: faults.filter((one) => one.what === what),
        checks: providerChecks.filter(({ id }) => id === check),
        requirements: requirements("provider"),
        isShort: true,
        seed,
        runs: 100,
      });
      expect(offDiagonal(rows, { isShort: true })).toEqual([]);
    },
  );
});
