import * as crypto from "node:crypto";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { standardWebhooks, timestampedHmac } from "../src/index.ts";
import { now, OTHER_SECRET, PUBLIC_KEY, SECRET, signed, TEXT_SECRET } from "./attempts.ts";

// Counts the cryptography of each attempt: what it costs, not how long it takes.
vi.mock("node:crypto", async (original) => {
  const real = await original<typeof crypto>();
  return {
    ...real,
    createHmac: vi.fn<typeof crypto.createHmac>(real.createHmac),
    verify: vi.fn<typeof crypto.verify>(real.verify),
  };
});

const scheme = standardWebhooks();
const { headers, body } = signed(scheme, [SECRET]);
const hmacDecoy = `v1,${Buffer.alloc(32).toString("base64")}`;
const ed25519Decoy = `v1a,${Buffer.alloc(64).toString("base64")}`;

beforeEach(() => vi.clearAllMocks());

/** The HMACs and the ed25519 verifications that such a signature header costs. */
function cost(signature: string, secrets: readonly string[]) {
  const attempt = { headers: { ...headers, "webhook-signature": signature }, body };
  const { ok } = scheme.verify(attempt, secrets, { now });
  const counts = [crypto.createHmac, crypto.verify].map((fn) => vi.mocked(fn).mock.calls.length);
  vi.clearAllMocks();
  return { ok, counts };
}

describe("the cryptography of one attempt", () => {
  it("is one HMAC for each secret and one ed25519 check for each signature and public key", () => {
    for (let count = 1; count <= 8; count++) {
      const hmacs = Array(count).fill(hmacDecoy).join(" ");
      const points = Array(count).fill(ed25519Decoy).join(" ");

      expect(cost(hmacs, [SECRET])).toEqual({ ok: false, counts: [1, 0] });
      expect(cost(hmacs, [SECRET, OTHER_SECRET, PUBLIC_KEY])).toEqual({
        ok: false,
        counts: [2, 0],
      });
      expect(cost(points, [PUBLIC_KEY])).toEqual({ ok: false, counts: [0, count] });
      expect(cost(points, [PUBLIC_KEY, SECRET])).toEqual({ ok: false, counts: [0, count] });
    }
  });

  it("is the same whichever secret matches", () => {
    const genuine = String(headers["webhook-signature"]);

    expect(cost(genuine, [SECRET, OTHER_SECRET])).toEqual({ ok: true, counts: [2, 0] });
    expect(cost(genuine, [OTHER_SECRET, SECRET])).toEqual({ ok: true, counts: [2, 0] });
  });

  it.each([
    ["nine signatures", Array(9).fill(hmacDecoy).join(" ")],
    ["100,000 signatures", Array(100_000).fill("v1,AAAA").join(" ")],
    ["an unknown version", "v2,abc"],
    ["a garbled signature", "v1,!"],
    ["a repeated header", `${hmacDecoy}, ${hmacDecoy}`],
  ])("is not computed for %s", (_, signature) => {
    expect(cost(signature, [SECRET, PUBLIC_KEY])).toEqual({ ok: false, counts: [0, 0] });
  });

  it.each([
    { "webhook-id": "a.b" },
    { "webhook-timestamp": "1e9" },
    { "webhook-timestamp": undefined },
    { "WEBHOOK-ID": "a" },
  ])("is not computed for the headers %j", (change) => {
    expect(scheme.verify({ headers: { ...headers, ...change }, body }, [SECRET], { now }).ok).toBe(
      false,
    );
    expect(crypto.createHmac).not.toHaveBeenCalled();
  });

  it("is not computed for a described scheme beyond its limits", () => {
    const described = timestampedHmac({ header: "X-Sig" });
    const entries = (count: number) => `t=1614265330${`,v1=${"0".repeat(64)}`.repeat(count)}`;
    for (const value of [entries(9), entries(100_000), `${entries(1)},t=1`])
      expect(
        described.verify({ headers: { "x-sig": value }, body }, [TEXT_SECRET], { now }).ok,
      ).toBe(false);
    expect(crypto.createHmac).not.toHaveBeenCalled();
    const most = { headers: { "x-sig": entries(8) }, body };
    expect(described.verify(most, [TEXT_SECRET], { now }).ok).toBe(false);
    expect(crypto.createHmac).toHaveBeenCalledTimes(1);
  });
});
