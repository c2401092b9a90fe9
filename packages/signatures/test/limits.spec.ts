import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { standardWebhooks, type Secret, type SignatureScheme } from "../src/index.ts";
import { messageOf, now, OTHER_SECRET, PUBLIC_KEY, SECRET, signed } from "./attempts.ts";

// Counts the cryptography of each attempt: what it costs, not how long it takes.
const counted = {
  createHmac: vi.spyOn(crypto, "createHmac"),
  createSecretKey: vi.spyOn(crypto, "createSecretKey"),
  timingSafeEqual: vi.spyOn(crypto, "timingSafeEqual"),
  verify: vi.spyOn(crypto, "verify"),
};
const joins = vi.spyOn(Buffer, "concat");
// Modules that import these by name meet the spies too.
syncBuiltinESMExports();
afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const scheme = standardWebhooks();
const { headers, body } = signed(scheme, [SECRET]);
const genuine = String(headers["webhook-signature"]);
const forgedHmac = `v1,${Buffer.alloc(32).toString("base64")}`;
const forgedEd25519 = `v1a,${Buffer.alloc(64).toString("base64")}`;

beforeEach(() => vi.clearAllMocks());

/** The HMACs, the ed25519 verifications and the comparisons that such a signature header costs. */
function cost(signature: string, secrets: readonly string[], change: object = {}, decoys = false) {
  const sent = { ...headers, "webhook-signature": signature, ...change };
  const attempt = { headers: sent, body };
  const { ok } = scheme.verify(attempt, secrets, { now, decoys });
  const counts = [counted.createHmac, counted.verify].map((spy) => spy.mock.calls.length);
  const compared = counted.timingSafeEqual.mock.calls;
  const lengths = compared.map(([left, right]) => [left.byteLength, right.byteLength]);
  const joined = joins.mock.calls.length;
  vi.clearAllMocks();
  return { ok, counts, compared: lengths, joined };
}

describe("the cryptography of one attempt", () => {
  it("is one HMAC for each secret and one ed25519 check for each signature and public key", () => {
    for (let count = 1; count <= 8; count++) {
      const hmacs = Array(count).fill(forgedHmac).join(" ");
      expect(cost(hmacs, [SECRET])).toMatchObject({ ok: false, counts: [1, 0] });
      const secrets = [SECRET, OTHER_SECRET, PUBLIC_KEY];
      expect(cost(hmacs, secrets)).toMatchObject({ ok: false, counts: [2, 0] });
    }
    for (const count of [1, 2]) {
      const points = Array(count).fill(forgedEd25519).join(" ");
      expect(cost(points, [PUBLIC_KEY])).toMatchObject({ ok: false, counts: [0, count] });
      expect(cost(points, [PUBLIC_KEY, SECRET])).toMatchObject({ ok: false, counts: [0, count] });
    }
  });

  it("joins the text once for all public keys and signatures", () => {
    const keys = Array.from({ length: 4 }, () => PUBLIC_KEY);
    scheme.check(keys, "verify");
    joins.mockClear();
    const both = `${forgedEd25519} ${forgedEd25519}`;
    expect(cost(both, keys)).toMatchObject({ counts: [0, 8], joined: 1 });
  });

  it("is the same for every tenant with decoys, whatever kinds of keys it has, and for none", () => {
    const decoys = (signature: string, secrets: readonly string[]) => {
      // The decoys are made at the first attempt.
      cost(signature, secrets, {}, true);
      return cost(signature, secrets, {}, true);
    };
    for (const secrets of [[], [SECRET], [PUBLIC_KEY]]) {
      expect(decoys(forgedHmac, secrets)).toMatchObject({ ok: false, counts: [1, 0] });
      expect(decoys(forgedEd25519, secrets)).toMatchObject({ ok: false, counts: [0, 1] });
      const both = `${forgedHmac} ${forgedEd25519}`;
      expect(decoys(both, secrets)).toMatchObject({ ok: false, counts: [1, 1] });
    }
    expect(decoys(genuine, [SECRET])).toMatchObject({ ok: true, counts: [1, 0] });
  });

  it("A1: [R-VERIFY-CONSTANT-TIME] is the same for a wrong first and a wrong last byte", () => {
    const digest = Buffer.from(genuine.slice(3), "base64");
    for (let index = 0; index <= 32; index++) {
      const bytes = digest.map((byte, at) => (at === index ? byte ^ 1 : byte));
      const signature = `v1,${Buffer.from(bytes).toString("base64")}`;
      const counts = { ok: index === 32, counts: [1, 0], compared: [[32, 32]] };
      expect(cost(signature, [SECRET])).toMatchObject(counts);
    }
  });

  it("A1: [R-VERIFY-EACH] compares every candidate with every secret, whichever matches", () => {
    const compared = Array.from({ length: 6 }, () => [32, 32]);
    const decoys = [forgedHmac, forgedHmac];
    for (const list of [
      [genuine, ...decoys],
      [...decoys, genuine],
    ])
      for (const secrets of [
        [SECRET, OTHER_SECRET],
        [OTHER_SECRET, SECRET],
      ])
        expect(cost(list.join(" "), secrets)).toMatchObject({ ok: true, counts: [2, 0], compared });
  });

  it.each<[string, string, object?]>([
    ["nine signatures", [genuine, ...Array<string>(8).fill(forgedHmac)].join(" ")],
    ["three signatures of public keys", Array<string>(3).fill(forgedEd25519).join(" ")],
    ["100,000 signatures", Array(100_000).fill("v1,AAAA").join(" ")],
    ["an unknown version", "v2,abc"],
    ["a garbled signature", "v1,!"],
    ["a repeated header", `${forgedHmac}, ${forgedHmac}`],
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
    const lists = [[SECRET], [{ raw: SECRET }], [{ raw: Buffer.from(SECRET) }]];
    expect(imported(own, ...lists)).toBe(3);
    expect(imported(own, ...lists)).toBe(0);
  });

  it("are remembered for the last 256 secrets", () => {
    const own = standardWebhooks();
    const secrets = Array.from({ length: 257 }, (_, index) => [`raw:${index}`.padEnd(40, "xy")]);
    const [first = [], second = []] = secrets;
    expect(imported(own, ...secrets.slice(0, 256))).toBe(256);
    expect(imported(own, ...secrets.slice(0, 256).map((list) => [...list]))).toBe(0);
    expect(imported(own, ...secrets.slice(256))).toBe(1);
    expect(imported(own, [...second])).toBe(0);
    expect(imported(own, [...first])).toBe(1);
  });
});
