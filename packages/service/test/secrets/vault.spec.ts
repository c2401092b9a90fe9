import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSecretKeys, createVault, type SealedSecret } from "../../src/secrets/vault.ts";
import { testVault } from "../test-vault.ts";

const place = "sub_1";
const key = (byte: number): string => Buffer.alloc(32, byte).toString("base64");

/** The sealed text with its bytes changed. */
const changed = (
  { keyId, text }: SealedSecret,
  change: (bytes: Buffer) => Buffer,
): SealedSecret => ({
  keyId,
  text: change(Buffer.from(text, "base64url")).toString("base64url"),
});

const refused = expect.objectContaining({ code: "CS_SECRET_REFUSED" }) as Error;

describe("B16: a vault", () => {
  const vault = testVault();
  const sealed = vault.seal("whsec_secret", place);

  it("decrypts what it encrypted, any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (secret) => {
        expect(vault.open(vault.seal(secret, place), place)).toBe(secret);
      }),
    );
  });

  it("encrypts one secret differently each time, and shows nothing of it", () => {
    const texts = Array.from({ length: 100 }, () => vault.seal("it-stands-out", place).text);
    const bytes = texts.map((text) => Buffer.from(text, "base64url"));
    expect(new Set(texts).size).toBe(100);
    expect(new Set(bytes.map((one) => one.toString("hex", 0, 12))).size).toBe(100);
    expect(bytes.some((one) => one.includes("stands-out"))).toBe(false);
  });

  it("refuses a secret with any flipped bit, a shortened tag, or too few bytes", () => {
    const bits = Buffer.from(sealed.text, "base64url").length * 8;
    for (let bit = 0; bit < bits; bit += 1) {
      const flipped = changed(sealed, (bytes) => {
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        return bytes;
      });
      expect(() => vault.open(flipped, place)).toThrow(refused);
    }
    for (const tag of [15, 12, 8, 4, 0]) {
      const cut = changed(sealed, (bytes) => bytes.subarray(0, bytes.length - 16 + tag));
      expect(() => vault.open(cut, place)).toThrow(refused);
    }
    for (const length of [0, 1, 11, 12, 27]) {
      const short = changed(sealed, () => Buffer.alloc(length));
      expect(() => vault.open(short, place)).toThrow(refused);
    }
  });

  it("decrypts a secret only for the row that it was encrypted for", () => {
    for (const other of ["sub_2", "", 'sub_1","k1'])
      expect(() => vault.open(sealed, other)).toThrow(refused);
  });

  it("decrypts with every key that it has, by the key's id, and encrypts with the first", () => {
    const both = testVault("k2", "k1");
    expect(both.open(sealed, place)).toBe("whsec_secret");
    expect(both.seal("x", place).keyId).toBe("k2");
    expect(["k1", "k2", "k3"].map((id) => both.has(id))).toEqual([true, true, false]);
    expect(() => testVault("k2").open(sealed, place)).toThrow(refused);
    expect(() => both.open({ ...sealed, keyId: "k2" }, place)).toThrow(refused);
    // The same bytes under another id are another key: the id is authenticated.
    const renamed = createVault(parseSecretKeys(`k9:${Buffer.alloc(32, "k1").toString("base64")}`));
    expect(() => renamed.open({ ...sealed, keyId: "k9" }, place)).toThrow(refused);
  });
});

describe("encryption keys", () => {
  it("are read one from each line, in their order", () => {
    const keys = parseSecretKeys(`\n new:${key(1)} \r\nold_1-A:${key(2)}\n\n`);
    expect([...keys.keys()]).toEqual(["new", "old_1-A"]);
    expect(keys.get("new")?.export()).toEqual(Buffer.alloc(32, 1));
  });

  it("are refused with CS_SECRET_KEYS and their line, without showing a key", () => {
    const short = (bytes: number): string => `a:${Buffer.alloc(bytes).toString("base64")}`;
    for (const [text, words] of [
      ["", "missing encryption key"],
      ["\n \n", "missing encryption key"],
      [`a:${key(1)}\n:${key(2)}`, "line 2"],
      [`a:${key(1)}\na:${key(2)}`, "duplicate encryption key a"],
      ...[key(1), `a b:${key(1)}`, `${"x".repeat(33)}:${key(1)}`, short(31), short(33)].map(
        (one) => [one, "line 1"] as const,
      ),
      [`a:${key(255).replaceAll("/", "_")}`, "line 1"],
      [`a:${key(1)} # mine`, "line 1"],
    ] as const) {
      const message = expect.stringMatching(`^(?!.*[A-Za-z0-9+/]{20}).*${words}`) as string;
      const failure = expect.objectContaining({ code: "CS_SECRET_KEYS", message }) as Error;
      expect(() => parseSecretKeys(text)).toThrow(failure);
    }
  });
});
