import { readFileSync } from "node:fs";
import { generateKeyPairSync, sign, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { importPrivateKey, importPublicKey, isUsablePoint } from "../src/ed25519.ts";
import { schemeOf, standardWebhooks } from "../src/index.ts";
import { now, PRIVATE_KEY, PUBLIC_KEY, signed } from "./attempts.ts";
import { provider } from "./samples.ts";

interface Vector {
  readonly name: string;
  readonly seed: string;
  readonly publicKey: string;
  readonly message: string;
  readonly signature: string;
}

const file = new URL("../../../contracts/vectors/rfc-8032.json", import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, "utf8")) as { readonly vectors: Vector[] };
const hex = (text: string) => Buffer.from(text, "hex");

const SPKI = hex("302a300506032b6570032100");
const PKCS8 = hex("302e020100300506032b657004220420");
const P = 2n ** 255n - 19n;

/** 32 bytes of y with the sign of x in the last bit. */
function encode(y: bigint, signOfX: 0n | 1n): Buffer {
  const number = y | (signOfX << 255n);
  return Buffer.from(Buffer.from(number.toString(16).padStart(64, "0"), "hex").toReversed());
}

describe("ed25519", () => {
  it.each(vectors)("signs and verifies $name", (vector) => {
    const message = hex(vector.message);
    const publicKey = importPublicKey(hex(vector.publicKey), "the key");
    const signature = sign(null, message, importPrivateKey(hex(vector.seed), "the key"));

    expect(signature.toString("hex")).toBe(vector.signature);
    expect(verify(null, message, publicKey, signature)).toBe(true);
    expect(verify(null, Buffer.concat([message, hex("00")]), publicKey, signature)).toBe(false);
  });

  it("takes a private key as seed, as seed and public key, and as PKCS #8, a public key as 32 bytes and as SPKI", () => {
    const scheme = standardWebhooks();
    const both = Buffer.from(PRIVATE_KEY.slice("whsk_".length), "base64");
    const raw = Buffer.from(PUBLIC_KEY.slice("whpk_".length), "base64");
    for (const form of [both, both.subarray(0, 32), Buffer.concat([PKCS8, both.subarray(0, 32)])]) {
      const attempt = signed(scheme, [`whsk_${form.toString("base64")}`]);
      expect(attempt.headers["webhook-signature"]).toBe(
        "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==",
      );
      for (const key of [raw, Buffer.concat([SPKI, raw])]) {
        const secret = `whpk_${key.toString("base64")}`;
        expect(scheme.verify(attempt, [secret], { now })).toMatchObject({ ok: true });
      }
    }
  });
});

describe("A6: a public key", () => {
  // The encoding that others publish, byte by byte: a number copied from the source would share its mistakes.
  const published = hex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
  const ORDER_8 = BigInt(`0x${Buffer.from(published.toReversed()).toString("hex")}`);
  const smallOrder = [0n, 1n, P - 1n, ORDER_8, P - ORDER_8];

  it("is refused if its order is small, in every encoding and under either sign", () => {
    const ofText = schemeOf(provider({ algorithm: "ed25519", key: "spki" }));
    for (const y of smallOrder) {
      for (const signOfX of [0n, 1n] as const) {
        const key = encode(y, signOfX);
        expect(isUsablePoint(key)).toBe(false);
        const [raw, der] = [key, Buffer.concat([SPKI, key])].map((form) => form.toString("base64"));
        for (const secret of [`whpk_${raw}`, `whpk_${der}`])
          expect(() => standardWebhooks().check([secret], "verify")).toThrow("garbled or weak");
        expect(() => ofText.check([String(der)], "verify")).toThrow("garbled or weak");
      }
    }
  });

  it("is refused if it is not canonical: y of p and above", () => {
    for (let y = P; y < 2n ** 255n; y++) {
      expect(isUsablePoint(encode(y, 0n))).toBe(false);
      expect(isUsablePoint(encode(y, 1n))).toBe(false);
    }
  });

  it("is refused if it is not on the curve: y of 2, 7 and 11, but not 3, 4 and 5", () => {
    // (y² - 1) / (d y² + 1) modulo p, computed elsewhere, is not a square for the first three.
    expect([2n, 7n, 11n].map((y) => isUsablePoint(encode(y, 0n)))).toEqual([false, false, false]);
    expect([3n, 4n, 5n].map((y) => isUsablePoint(encode(y, 0n)))).toEqual([true, true, true]);
  });

  it("is accepted if Node generated it, and so is its negative", () => {
    for (let count = 0; count < 20; count++) {
      const { publicKey } = generateKeyPairSync("ed25519");
      const raw = publicKey.export({ format: "der", type: "spki" }).subarray(SPKI.length);
      expect(isUsablePoint(raw)).toBe(true);
      expect(isUsablePoint(raw.with(31, (raw[31] ?? 0) ^ 0x80))).toBe(true);
    }
  });
});
