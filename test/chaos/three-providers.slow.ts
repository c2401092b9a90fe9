import { expect, it } from "vitest";
import { postgresBinaries } from "../../packages/receiver/test/inboxes/servers.ts";
import { seed } from "../seed.ts";
import { campaignOf, type Count } from "./three-providers/campaign.ts";
import type { Kind } from "./three-providers/process.ts";
import { hasSdks } from "./three-providers/traffic.ts";

const SECONDS = Number(process.env["COUNTERSIGN_SECONDS"] ?? 300);

const run = async (kind: Kind): Promise<Count> => {
  const count = await campaignOf({ kind, seed, seconds: SECONDS });
  const { lost, twice, refused } = count;
  console.log(
    `${kind}: ${count.events} events, ${count.attempts} attempts, ${count.kills} kills: ` +
      `${lost.length} lost, ${twice.length} handled twice, ${refused} honest attempts refused`,
  );
  return count;
};

const canRun = hasSdks && postgresBinaries !== undefined;
const needs = canRun ? "" : " (needs PostgreSQL, and the vendors' SDKs of npm run mint)";

it.skipIf(!canRun)(
  `A shop with receivers for Stripe, GitHub and Shopify loses no event, books none twice and refuses no honest attempt while its processes are killed${needs}`,
  async () => {
    expect(await run("countersign")).toMatchObject({ lost: [], twice: [], refused: 0 });
  },
);

// Without an assertion on its faults: they depend on the moments of the kills.
it.skipIf(!canRun).for(["by hand, id logged last", "by hand, id logged first"] as const)(
  `A shop written %s, gets the same traffic for comparison${needs}`,
  async (kind) => {
    expect((await run(kind)).events).toBeGreaterThan(0);
  },
);
