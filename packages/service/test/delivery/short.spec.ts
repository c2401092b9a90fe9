import { describe, expect, it } from "vitest";
import { workOnBacklog } from "./backlog.ts";
import { peers, rotate } from "./rotation.ts";
import { expectProfileTimes } from "./virtual-year.ts";

// Short forms of `long.slow.ts`.

it("[P-EVENT-RETRY] a year of deliveries keeps 200 subscriptions to the profile's times, each by its fate", async () => {
  expect(await expectProfileTimes(200)).toBe(200);
});

describe("B19: a merchant who changes secrets through a second subscription", () => {
  it.each(peers)(
    "verifies every attempt with $name, and counts each event once by its id",
    async (peer) => {
      expect(await rotate(peer, { rotations: 10, eventsEach: 10 })).toBe(0);
    },
  );
});

it("P6: 20,000 due deliveries take no more memory than those that lie ready", async () => {
  const { heap } = await workOnBacklog(20_000, 2000);
  // All of them would be some 8 MB, by 400 bytes.
  expect(heap).toBeLessThan(5_000_000);
});
