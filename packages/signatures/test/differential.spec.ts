import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bodyHmac, standardWebhooks, timestampedHmac } from "../src/index.ts";
import { ids } from "./arbitraries.ts";
import { now, NOW_SECONDS, OTHER_SECRET, SECRET } from "./attempts.ts";
import { disagreements, ourVerdict, type PeerName, theirVerdict } from "./peers.ts";

// The peers read the machine's clock: it stands where ours does.
beforeAll(() => vi.useFakeTimers({ now, toFake: ["Date"] }));
afterAll(() => vi.useRealTimers());

const TEXT = "whsec_used_as_it_stands_by_some";
const OTHER_TEXT = "another_secret_of_this_length__";
const signers = {
  standardwebhooks: { scheme: standardWebhooks(), secrets: [SECRET, OTHER_SECRET] },
  svix: { scheme: standardWebhooks(), secrets: [SECRET, OTHER_SECRET] },
  stripe: { scheme: timestampedHmac({ header: "stripe-signature" }), secrets: [TEXT, OTHER_TEXT] },
  "@octokit/webhooks-methods": {
    scheme: bodyHmac({ header: "x-hub-signature-256", prefix: "sha256=" }),
    secrets: [TEXT, OTHER_TEXT],
  },
} as const;

describe.each(Object.keys(signers) as PeerName[])("on the strict grammar %s", (peer) => {
  const { scheme, secrets } = signers[peer];
  // Where it is lax by design the strict grammar ends: stripe takes every time to come.
  const latest = peer === "stripe" ? 0 : 302;

  it("accepts and refuses what this package does", async () => {
    const attempts = fc.record({
      id: ids,
      ahead: fc.oneof(
        fc.integer({ min: -302, max: latest }),
        fc.constantFrom(-301, -300, Math.min(latest, 300), Math.min(latest, 301)),
      ),
      value: fc.json(),
      signedBy: fc.constantFrom(...secrets),
      sent: fc.constantFrom("as signed", "with another body", "with another signature"),
    });
    const verdicts = new Set<string>();

    await fc.assert(
      fc.asyncProperty(attempts, async ({ id, ahead, value, signedBy, sent }) => {
        const message = { id, timestamp: NOW_SECONDS + ahead, body: Buffer.from(value) };
        const headers = scheme.sign(message, [signedBy]);
        const foreign = scheme.sign({ ...message, body: Buffer.from("{}") }, [signedBy]);
        const given = {
          headers: sent === "with another signature" ? foreign : headers,
          body: sent === "with another body" ? `${value} ` : value,
          secret: secrets[0],
        };

        const ours = ourVerdict(peer, given);

        verdicts.add(ours);
        expect((await theirVerdict(peer, given)) === "accepts").toBe(ours === "accepts");
      }),
      { numRuns: 300 },
    );

    expect(verdicts.size).toBeGreaterThanOrEqual(2);
    expect(verdicts).toContain("accepts");
  });
});

describe("beyond the strict grammar", () => {
  it.each(disagreements)("$peer $theirs, this package: $us ($name)", async (given) => {
    expect(await theirVerdict(given.peer, given)).toBe(given.theirs);
    expect(ourVerdict(given.peer, given)).toBe(given.us);
  });

  it("no disagreement is without an argument in the documentation, and none is invented", () => {
    const file = new URL("../docs/disagreements.md", import.meta.url);
    const rows = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .map((line) => line.split("|").map((cell) => cell.trim()));

    const documented = rows.map(([, peer, name, theirs, us]) => [peer, name, theirs, us]);
    const argued = rows.filter(([, , , , , why = ""]) => why.length > 15);

    expect(documented).toEqual(
      disagreements.map(({ peer, name, theirs, us }) => [`\`${peer}\``, name, theirs, `\`${us}\``]),
    );
    expect(argued).toHaveLength(rows.length);
  });
});
