import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { seed } from "../../../test/seed.ts";
import { now } from "./attempts.ts";
import {
  compareWith,
  ourVerdict,
  type PeerCase,
  type PeerName,
  peers,
  theirVerdict,
} from "./peers.ts";

// The peers read the machine's clock: it stands where ours does.
beforeAll(() => vi.useFakeTimers({ now, toFake: ["Date"] }));
afterAll(() => vi.useRealTimers());

/** An attempt on which a peer and this package differ; its `why` is in the reference for readers. */
interface Row extends PeerCase {
  readonly peer: PeerName;
  readonly name: string;
  readonly theirs: string;
  readonly us: string;
  readonly headers: Record<string, string>;
  readonly as?: "Headers";
  /** Text, or base64 of the kind of bytes that `bytes` names. */
  readonly body: string;
  readonly bytes?: "Buffer" | "Uint8Array";
}

const file = new URL("../../../contracts/vectors/disagreements.json", import.meta.url);
const disagreements = JSON.parse(readFileSync(file, "utf8")) as readonly Row[];

function caseOf({ as, bytes, headers, body, ...row }: Row): PeerCase {
  const buffer = Buffer.from(body, "base64");
  return {
    ...row,
    headers: as === "Headers" ? new Headers(headers) : headers,
    body: bytes === undefined ? body : bytes === "Buffer" ? buffer : Uint8Array.from(buffer),
  };
}

describe.each(Object.keys(peers) as PeerName[])("on the strict grammar %s", (peer) => {
  it(`accepts and refuses what this package does (seed ${seed})`, async () => {
    const { accepted, refused, ...faults } = await compareWith(peer, { runs: 300, seed });

    expect(faults).toEqual({ falseAccepts: [], falseRefusals: [], otherVerdicts: [] });
    expect(accepted).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
  });
});

describe("beyond the strict grammar", () => {
  it.each(disagreements)("$peer $theirs, this package: $us ($name)", async (row) => {
    expect(await theirVerdict(row.peer, caseOf(row))).toBe(row.theirs);
    expect(ourVerdict(row.peer, caseOf(row))).toBe(row.us);
  });
});
