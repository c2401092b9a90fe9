import { expect, it } from "vitest";
import { seed } from "../../test/seed.ts";
import { verifyByPact } from "./vendor.ts";

// The long lane verifies all of them, and so does pacts.spec.ts through the kit.
it(
  `Pact's own verifier passes ten interactions of each consumer with the service, given only the sandbox's state-change URL, with seed ${String(seed)}`,
  { tags: "ci", timeout: 90_000 },
  async () => {
    expect(await verifyByPact(10)).toBe(20);
  },
);
