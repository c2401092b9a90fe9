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
  it("is one HMAC for each secret, however many signatures it carries", () => {
    for (let signatures = 1; signatures <= 8; signatures++) {
      const list = Array(signatures).fill(hmacDecoy).join(" ");

      expect(cost(list, [SECRET])).toMatchObject({ ok: false, counts: [1, 0] });
      expect(cost(list, [SECRET, OTHER_SECRET, PUBLIC_KEY])).toMatchObject({
        ok: false,
        counts: [2, 0],
      });
    }
  });

  it("is the same whichever secret matches, and where none does", () => {
    const genuine = String(headers["webhook-signature"]);

    expect(cost(genuine, [SECRET, OTHER_SECRET]).counts).toEqual([2, 0]);
    expect(cost(genuine, [OTHER_SECRET, SECRET]).counts).toEqual([2, 0]);
    expect(cost(hmacDecoy, [OTHER_SECRET, SECRET]).counts).toEqual([2, 0]);
  });

  it("is at most one ed25519 verification for each signature and each key", () => {
    for (let signatures = 1; signatures <= 8; signatures++) {
      const list = Array(signatures).fill(ed25519Decoy).join(" ");

      expect(cost(list, [PUBLIC_KEY])).toMatchObject({ ok: false, counts: [0, signatures] });
      expect(cost(list, [PUBLIC_KEY, SECRET])).toMatchObject({
        ok: false,
        counts: [0, signatures],
      });
    }
  });

  it.each([
    ["nine signatures", Array(9).fill(hmacDecoy).join(" ")],
    ["100,000 signatures", Array(100_000).fill("v1,AAAA").join(" ")],
    ["100,000 empty ones", " ".repeat(100_000)],
    ["an unknown version", "v2,abc"],
    ["a garbled signature", "v1,!"],
    ["a header that came twice", `${hmacDecoy}, ${hmacDecoy}`],
  ])("is none for %s", (_, signature) => {
    expect(cost(signature, [SECRET, PUBLIC_KEY])).toMatchObject({ ok: false, counts: [0, 0] });
  });

  it("is none where the id, the timestamp or a header is not in the grammar", () => {
    const hopeless = [
      { "webhook-id": "a.b" },
      { "webhook-timestamp": "1e9" },
      { "webhook-timestamp": undefined },
      { "WEBHOOK-ID": "a" },
    ];

    for (const change of hopeless) {
      const attempt = { headers: { ...headers, ...change }, body };
      expect(scheme.verify(attempt, [SECRET], { now }).ok).toBe(false);
    }
    expect(crypto.createHmac).not.toHaveBeenCalled();
  });

  it("is none for a described scheme beyond its limits", () => {
    const described = timestampedHmac({ header: "X-Sig" });
    const entries = (count: number) => `t=1614265330${`,v1=${"0".repeat(64)}`.repeat(count)}`;
    const verify = (value: string) =>
      described.verify({ headers: { "x-sig": value }, body }, [TEXT_SECRET], { now });

    expect(verify(entries(9))).toMatchObject({ code: "CS_SIGNATURE_TOO_MANY" });
    expect(verify(entries(100_000))).toMatchObject({ code: "CS_SIGNATURE_HEADER_TOO_LONG" });
    expect(verify(`${entries(1)},t=1`)).toMatchObject({ code: "CS_SIGNATURE_MALFORMED" });
    expect(crypto.createHmac).not.toHaveBeenCalled();
    expect(verify(entries(8))).toMatchObject({ code: "CS_SIGNATURE_MISMATCH" });
    expect(crypto.createHmac).toHaveBeenCalledTimes(1);
  });
});
