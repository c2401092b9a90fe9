import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSecretKeys } from "../../src/secrets/secret-keys.ts";
import { createVault, type SealedSecret } from "../../src/secrets/vault.ts";
import { testVault } from "../test-vault.ts";

const place = { table: "subscriptions", row: "sub_1" };
const refused = { code: "CS_SECRET_REFUSED" };
const key = (byte: number): string => Buffer.alloc(32, byte).toString("base64");

/** The sealed text with its bytes changed. */
const changed = (
  { keyId, text }: SealedSecret,
  change: (bytes: Buffer) => Buffer,
): SealedSecret => ({
  keyId,
  text: change(Buffer.from(text, "base64url")).toString("base64url"),
});

describe("a vault (B16)", () => {
  it("opens what it sealed, any text", () => {
    const vault = testVault();
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (secret) => {
        expect(vault.open(vault.seal(secret, place), place)).toBe(secret);
      }),
    );
  });

  it("seals one secret in another way each time, and shows nothing of it", () => {
    const vault = testVault();
    const secret = "whsec_a-secret-that-stands-out";
    const sealed = Array.from({ length: 100 }, () => vault.seal(secret, place).text);
    expect(new Set(sealed).size).toBe(100);
    const nonces = sealed.map((text) => Buffer.from(text, "base64url").toString("hex", 0, 12));
    expect(new Set(nonces).size).toBe(100);
    for (const text of sealed) {
      expect(Buffer.from(text, "base64url").includes("stands-out")).toBe(false);
    }
  });

  it("refuses a sealed secret of which any bit was flipped", () => {
    const vault = testVault();
    const sealed = vault.seal("whsec_secret", place);
    const bits = Buffer.from(sealed.text, "base64url").length * 8;
    for (let bit = 0; bit < bits; bit += 1) {
      const flipped = changed(sealed, (bytes) => {
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        return bytes;
      });
      expect(() => vault.open(flipped, place)).toThrow(expect.objectContaining(refused));
    }
  });

  it.each([15, 12, 8, 4, 0])("refuses a tag that was cut to %i bytes", (length) => {
    const vault = testVault();
    const sealed = vault.seal("whsec_secret", place);
    const cut = changed(sealed, (bytes) => bytes.subarray(0, bytes.length - 16 + length));
    expect(() => vault.open(cut, place)).toThrow(expect.objectContaining(refused));
  });

  it.each([0, 1, 11, 12, 27])("refuses %i bytes, which hold no nonce and tag", (length) => {
    const nothing = { keyId: "k1", text: Buffer.alloc(length).toString("base64url") };
    expect(() => testVault().open(nothing, place)).toThrow(expect.objectContaining(refused));
  });

  it("opens a secret in the place alone that it was sealed for", () => {
    const vault = testVault();
    const sealed = vault.seal("whsec_secret", place);
    for (const other of [
      { ...place, row: "sub_2" },
      { ...place, table: "clients" },
      { table: 'subscriptions","sub_1', row: "" },
    ]) {
      expect(() => vault.open(sealed, other)).toThrow(expect.objectContaining(refused));
    }
  });

  it("opens with every key it has, and seals with the first", () => {
    const old = testVault("k1").seal("whsec_secret", place);
    const vault = testVault("k2", "k1");
    expect(vault.open(old, place)).toBe("whsec_secret");
    expect(vault.seal("x", place).keyId).toBe("k2");
    expect([vault.has("k1"), vault.has("k2"), vault.has("k3")]).toEqual([true, true, false]);
  });

  it("refuses a secret of a key that it has not, or that goes by another's id", () => {
    const vault = testVault("k1", "k2");
    const sealed = vault.seal("whsec_secret", place);
    expect(() => testVault("k2").open(sealed, place)).toThrow(expect.objectContaining(refused));
    expect(() => vault.open({ ...sealed, keyId: "k2" }, place)).toThrow(
      expect.objectContaining(refused),
    );
    // The same bytes under another id are another key: the id is authenticated.
    const renamed = createVault(parseSecretKeys(`k9:${Buffer.alloc(32, "k1").toString("base64")}`));
    expect(() => renamed.open({ ...sealed, keyId: "k9" }, place)).toThrow(
      expect.objectContaining(refused),
    );
  });
});

describe("encryption keys", () => {
  it("are read one a line, in their order", () => {
    const keys = parseSecretKeys(`\n new:${key(1)} \r\nold_1-A:${key(2)}\n\n`);
    expect([...keys.keys()]).toEqual(["new", "old_1-A"]);
    expect(keys.get("new")?.export()).toEqual(Buffer.alloc(32, 1));
  });

  it.each([
    ["", "no encryption key"],
    ["\n \n", "no encryption key"],
    [key(1), "line 1"],
    [`a:${key(1)}\n:${key(2)}`, "line 2"],
    [`a b:${key(1)}`, "line 1"],
    [`${"x".repeat(33)}:${key(1)}`, "line 1"],
    [`a:${Buffer.alloc(31).toString("base64")}`, "line 1"],
    [`a:${Buffer.alloc(33).toString("base64")}`, "line 1"],
    [`a:${key(255).replaceAll("/", "_")}`, "line 1"],
    [`a:${key(1)} # mine`, "line 1"],
    [`a:${key(1)}\na:${key(2)}`, "a comes twice"],
  ])("%# are refused with CS_SECRET_KEYS, in words that hold no key", (text, words) => {
    const failure = expect.objectContaining({
      code: "CS_SECRET_KEYS",
      message: expect.stringContaining(words) as string,
    }) as Error;
    expect(() => parseSecretKeys(text)).toThrow(failure);
    try {
      parseSecretKeys(text);
    } catch (error) {
      expect(String(error)).not.toMatch(/[A-Za-z0-9+/]{20}/);
    }
  });
});
