import { providerChecks, requirements } from "@countersign/contract-kit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { matrixOf, offDiagonal } from "./matrix.ts";
import { broken } from "./providers/faults.ts";
import { openProvider, type OpenedProvider } from "./providers/open-provider.ts";
import { providerFaults } from "./providers/provider-faults.ts";

let provider: OpenedProvider;
beforeAll(async () => {
  provider = await openProvider();
});
afterAll(() => provider.close());
// One for all: each scenario has a merchant of its own.
const faults = providerFaults(() =>
  Promise.resolve({ target: provider.target, close: () => Promise.resolve() }),
);

// Each at the check that finds it; all of them meet all checks in `pnpm matrix`.
describe("a service that is broken", () => {
  it("fails what it is named by", async () => {
    const some = broken.filter(({ isQuick = false }) => isQuick).values();
    const problems: string[] = [];
    const work = async (): Promise<void> => {
      for (const { what, check } of some) {
        // oxlint-disable-next-line no-await-in-loop -- four at a time, since some wait
        const rows = await matrixOf({
          faults: faults.filter((one) => one.what === what),
          checks: providerChecks.filter(({ id }) => id === check),
          requirements: requirements("provider"),
          isShort: true,
          runs: 40,
        });
        problems.push(...offDiagonal(rows, { isShort: true }));
      }
    };
    await Promise.all([work(), work(), work(), work()]);
    expect(problems).toEqual([]);
  });
});

describe("the broken services", () => {
  it("are forty or more, each with words of its own", () => {
    const words = new Set(broken.map(({ what }) => what));
    expect(words.size).toBe(broken.length);
    expect(words.size).toBeGreaterThanOrEqual(40);
  });

  it("break every requirement that a check tests", () => {
    const tested = new Set(providerChecks.flatMap((one) => one.requirements));
    const told = new Set(broken.map(({ requirement }) => requirement));
    expect([...tested].filter((id) => !told.has(id))).toEqual([]);
  });
});
