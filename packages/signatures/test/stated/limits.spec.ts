import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { standardWebhooks, type Secret, type SignatureScheme } from "../../src/stated/index.ts";
import { messageOf, now, OTHER_SECRET, PUBLIC_KEY, SECRET, signed } from "./attempts.ts";

// Counts the cryptography of each attempt: what it costs, not how long it takes.
const counted = {
  createHmac: vi.spyOn(crypto, "createHmac"),
  createSecretKey: vi.spyOn(crypto, "createSecretKey"),
  timingSafeEqual: vi.spyOn(crypto, "timingSafeEqual"),
  verify: vi.spyOn(crypto, "verify"),
};
// Modules that import these by name meet the spies too.
syncBuiltinESMExports();
afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const scheme = standardWebhooks();
const { headers, body } = signed(scheme, [SECRET]);
const genuine = String(headers["webhook-signature"]);
const hmacDecoy = `v1,${Buffer.alloc(32).toString("base64")}`;
const ed25519Decoy = `v1a,${Buffer.alloc(64).toString("base64")}`;

beforeEach(() => vi.clearAllMocks());

/** The HMACs, the ed25519 verifications and the comparisons that such a signature header costs. */
function cost(signature: string, secrets: readonly string[], change: object = {}) {
  const sent = { ...headers, "webhook-signature": signature, ...change };
  const attempt = { headers: sent, body };
  const { ok } = scheme.verify(attempt, secrets, { now });
  const counts = [counted.createHmac, counted.verify].map((spy) => spy.mock.calls.length);
  const compared = counted.timingSafeEqual.mock.calls;
  const lengths = compared.map(([left, right]) => [left.byteLength, right.byteLength]);
  vi.clearAllMocks();
  return { ok, counts, compared: lengths };
}

describe("the cryptography of one attempt", () => {
  it("is one HMAC for each secret and one ed25519 check for each signature and public key", () => {
    for (let count = 1; count <= 8; count++) {
      const hmacs = Array(count).fill(hmacDecoy).join(" ");
      const points = Array(count).fill(ed25519Decoy).join(" ");

      for (const [header, secrets, counts] of [
        [hmacs, [SECRET], [1, 0]],
        [hmacs, [SECRET, OTHER_SECRET, PUBLIC_KEY], [2, 0]],
        [points, [PUBLIC_KEY], [0, count]],
        [points, [PUBLIC_KEY, SECRET], [0, count]],
      ] as const)
        expect(cost(header, secrets)).toMatchObject({ ok: false, counts });
    }
  });

  it("A1: [R-VERIFY-CONSTANT-TIME] is the same for a wrong first and a wrong last byte", () => {
    const digest = Buffer.from(genuine.slice(3), "base64");
    for (let index = 0; index <= 32; index++) {
      const bytes = digest.map((byte, at) => (at === index ? byte ^ 1 : byte));
      const signature = `v1,${Buffer.from(bytes).toString("base64")}`;
      const counts = { ok: index === 32, counts: [1, 0], compared: [[32, 32]] };
      expect(cost(signature, [SECRET])).toEqual(counts);
    }
  });

  it("A1: [R-VERIFY-EACH] compares every candidate with every secret, whichever matches", () => {
    const compared = Array.from({ length: 6 }, () => [32, 32]);
    const decoys = [hmacDecoy, hmacDecoy];
    for (const list of [
      [genuine, ...decoys],
      [...decoys, genuine],
    ])
      for (const secrets of [
        [SECRET, OTHER_SECRET],
        [OTHER_SECRET, SECRET],
      ])
        expect(cost(list.join(" "), secrets)).toEqual({ ok: true, counts: [2, 0], compared });
  });

  it.each<[string, string, object?]>([
    ["nine signatures", [genuine, ...Array<string>(8).fill(hmacDecoy)].join(" ")],
    ["100,000 signatures", Array(100_000).fill("v1,AAAA").join(" ")],
    ["an unknown version", "v2,abc"],
    ["a garbled signature", "v1,!"],
    ["a repeated header", `${hmacDecoy}, ${hmacDecoy}`],
    ["an id with a full stop", genuine, { "webhook-id": "a.b" }],
    ["a timestamp with an exponent", genuine, { "webhook-timestamp": "1e9" }],
    ["a missing timestamp", genuine, { "webhook-timestamp": undefined }],
    ["an id in two spellings", genuine, { "WEBHOOK-ID": "a" }],
  ])("A4: is not computed for %s", (_, signature, change) => {
    const none = { ok: false, counts: [0, 0] };
    expect(cost(signature, [SECRET, PUBLIC_KEY], change)).toMatchObject(none);
  });
});

describe("the keys of secrets", () => {
  /** The keys that are imported while messages are verified with these lists, one after the other. */
  function imported(own: SignatureScheme, ...lists: readonly (readonly Secret[])[]): number {
    counted.createSecretKey.mockClear();
    for (const secrets of lists) own.verify({ headers, body }, secrets, { now });
    return counted.createSecretKey.mock.calls.length;
  }

  it("are imported once for each secret and use, also in new lists and in a list that changed", () => {
    const own = standardWebhooks();
    const list: Secret[] = [SECRET];
    expect(imported(own, list, list, [SECRET])).toBe(1);
    list[0] = OTHER_SECRET;
    expect(imported(own, list)).toBe(1);
    expect(own.verify({ headers, body }, list, { now }).ok).toBe(false);
    list.push(SECRET);
    expect(own.verify({ headers, body }, list, { now })).toMatchObject({ secretIndex: 1 });
    expect(imported(own, list, [OTHER_SECRET, SECRET])).toBe(0);
    counted.createSecretKey.mockClear();
    own.sign(messageOf(), [SECRET]);
    own.sign(messageOf(), [SECRET]);
    expect(counted.createSecretKey).toHaveBeenCalledTimes(1);
  });

  it("differ between a text, the same text as it is, and its bytes", () => {
    const own = standardWebhooks();
    const raw = Buffer.from(SECRET);
    expect(imported(own, [SECRET], [{ raw: SECRET }], [{ raw }])).toBe(3);
    expect(imported(own, [SECRET], [{ raw: SECRET }], [{ raw }])).toBe(0);
  });

  it("are remembered for the 256 secrets used last", () => {
    const own = standardWebhooks();
    const secrets = Array.from({ length: 257 }, (_, index) => [`raw:${index}`.padEnd(40, "x")]);
    const [first = [], second = []] = secrets;
    expect(imported(own, ...secrets.slice(0, 256))).toBe(256);
    expect(imported(own, ...secrets.slice(0, 256).map((list) => [...list]))).toBe(0);
    // The first is used again, so the second makes room for the last.
    expect(imported(own, [...first], ...secrets.slice(256))).toBe(1);
    expect(imported(own, [...first])).toBe(0);
    expect(imported(own, [...second])).toBe(1);
  });
});
