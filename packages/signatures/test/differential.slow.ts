import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runRounds } from "../../../test/rounds.ts";
import { now } from "./attempts.ts";
import { compareWith, type PeerName, peers } from "./peers.ts";

const [RUNS, ROUND] = [250_000, 25_000];

beforeAll(() => vi.useFakeTimers({ now, toFake: ["Date"] }));
afterAll(() => vi.useRealTimers());

describe.each(Object.keys(peers) as PeerName[])("this package and %s", (peer) => {
  it(`decide alike on ${String(RUNS)} attempts, and accept none that was changed`, async () => {
    const result = await runRounds({
      campaign: `verifications-${peer.replaceAll(/\W+/g, "-").replace(/^-/, "")}`,
      goal: RUNS,
      unit: "verifications",
      round: async (roundSeed) => ({
        done: ROUND,
        result: await compareWith(peer, { runs: ROUND, seed: roundSeed }),
      }),
    });
    expect(result).toMatchObject({ falseAccepts: [], falseRefusals: [], otherVerdicts: [] });
  });
});
