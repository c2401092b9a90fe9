import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { cachedKeys } from "../src/key-cache.ts";
import type { Secret } from "../src/index.ts";
import { sealed, standardWebhooks } from "../src/index.ts";
import { now, OTHER_SECRET, SECRET, signed } from "./attempts.ts";

/** A cache whose keys are numbers in the order of their import. */
function counting() {
  let imports = 0;
  const keysOf = cachedKeys<number>(() => ++imports);
  return { keysOf, imports: () => imports };
}

const textOf = (index: number) => `raw:secret-of-tenant-${index}-------`;

describe("imported keys", () => {
  it("are imported once for a list, and once for a secret in another list", () => {
    const { keysOf, imports } = counting();
    const list = [SECRET, OTHER_SECRET];

    expect(keysOf(list, "verify")).toEqual([1, 2]);
    expect(keysOf(list, "verify")).toBe(keysOf(list, "verify"));
    expect(keysOf([OTHER_SECRET, SECRET], "verify")).toEqual([2, 1]);
    expect(keysOf([sealed(SECRET)], "verify")).toEqual([1]);
    expect(imports()).toBe(2);
  });

  it("are others for another use and for another kind of secret", () => {
    const { keysOf } = counting();
    const kinds: Secret[] = [SECRET, { raw: SECRET }, { raw: Buffer.from(SECRET) }];

    expect(kinds.flatMap((secret) => keysOf([secret], "verify"))).toEqual([1, 2, 3]);
    expect(kinds.flatMap((secret) => keysOf([secret], "sign"))).toEqual([4, 5, 6]);
    expect(keysOf([{ raw: SECRET }], "verify")).toEqual([2]);
    expect(keysOf([{ raw: Uint8Array.from(Buffer.from(SECRET)) }], "verify")).toEqual([3]);
  });

  it("of a list that its owner has changed are read again", () => {
    const { keysOf } = counting();
    const list: Secret[] = [SECRET];

    expect(keysOf(list, "verify")).toEqual([1]);
    list[0] = OTHER_SECRET;
    expect(keysOf(list, "verify")).toEqual([2]);
    list.push(SECRET);
    expect(keysOf(list, "verify")).toEqual([2, 1]);
    list.shift();
    expect(keysOf(list, "verify")).toEqual([1]);
    list.pop();
    expect(() => keysOf(list, "verify")).toThrow('"secrets" must hold at least one secret');
  });

  it("are bounded: of 257 the least recently used one is forgotten", () => {
    const { keysOf, imports } = counting();
    for (let index = 0; index < 256; index++) keysOf([textOf(index)], "verify");
    keysOf([textOf(0)], "verify");
    expect(imports()).toBe(256);

    keysOf([textOf(256)], "verify");
    keysOf([textOf(0)], "verify");
    keysOf([textOf(2)], "verify");
    expect(imports()).toBe(257);

    keysOf([textOf(1)], "verify");
    expect(imports()).toBe(258);
  });

  it("are not kept where the import throws", () => {
    let broken = true;
    const keysOf = cachedKeys<string>(() => {
      if (broken) throw new TypeError("unusable");
      return "key";
    });

    expect(() => keysOf([SECRET], "verify")).toThrow("unusable");
    broken = false;
    expect(keysOf([SECRET], "verify")).toEqual(["key"]);
  });

  it("name the place of each secret in the list", () => {
    const places: string[] = [];
    const keysOf = cachedKeys<number>((_secret, _use, at) => places.push(at));

    keysOf([SECRET, OTHER_SECRET], "sign");

    expect(places).toEqual(["secrets[0]", "secrets[1]"]);
  });

  it("of one scheme are unknown to another", () => {
    const strict = standardWebhooks();
    const lenient = standardWebhooks({ minSecretBytes: 1 });
    const short = [{ raw: "short" }];

    lenient.check(short, "verify");

    expect(() => strict.check(short, "verify")).toThrow(TypeError);
  });

  it("let a list rotate while it is in use", () => {
    const scheme = standardWebhooks();
    const list: Secret[] = [OTHER_SECRET];
    const attempt = signed(scheme, [SECRET]);

    expect(scheme.verify(attempt, list, { now })).toMatchObject({ ok: false });
    list.unshift(SECRET);
    expect(scheme.verify(attempt, list, { now })).toMatchObject({ ok: true, secretIndex: 0 });
    list.shift();
    expect(scheme.verify(attempt, list, { now })).toMatchObject({ ok: false });
  });

  it("serve thousands of tenants, each with its own secret", () => {
    const scheme = standardWebhooks();
    const tenants = Array.from({ length: 1000 }, () => ({ raw: randomBytes(24) }));

    for (const [index, secret] of tenants.entries()) {
      const attempt = signed(scheme, [secret]);
      expect(scheme.verify(attempt, [{ ...secret }], { now }).ok).toBe(true);
      const neighbour = tenants[(index + 1) % tenants.length] ?? secret;
      expect(scheme.verify(attempt, [neighbour], { now }).ok).toBe(false);
    }
  });
});
