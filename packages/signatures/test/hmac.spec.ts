import { readFileSync } from "node:fs";
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hmac, type HmacAlgorithm, importHmacKey, isAmong } from "../src/hmac.ts";
import { bodyHmac } from "../src/index.ts";
import { messageOf } from "./attempts.ts";

type Vector = Readonly<Record<HmacAlgorithm | "name" | "key" | "data", string>>;

const file = new URL("../../../contracts/vectors/rfc-4231.json", import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, "utf8")) as { readonly vectors: Vector[] };
const algorithms: readonly HmacAlgorithm[] = ["sha256", "sha384", "sha512"];
const hex = (text: string) => Buffer.from(text, "hex");

describe.each(algorithms)("HMAC with %s", (algorithm) => {
  it.each(vectors)("gives the digest of $name", (vector) => {
    const key = importHmacKey(hex(vector.key));
    const body = hex(vector.data);

    const digest = hmac(algorithm, key, { before: "", body, after: "" });

    expect(Buffer.from(digest).toString("hex")).toBe(vector[algorithm]);
  });

  it.each(vectors)("signs the body of $name", (vector) => {
    const scheme = bodyHmac({ header: "X", algorithm, minSecretBytes: 1 });
    const message = { ...messageOf(), body: hex(vector.data) };

    expect(scheme.sign(message, [{ raw: hex(vector.key) }])).toEqual({ X: vector[algorithm] });
  });

  it("covers what stands before and after the body", () => {
    const text = fc.string({ unit: "grapheme-ascii" });
    const key = importHmacKey(Buffer.from("key"));

    fc.assert(
      fc.property(text, fc.uint8Array(), text, (before, body, after) => {
        const whole = Buffer.concat([Buffer.from(before), body, Buffer.from(after)]);
        const expected = createHmac(algorithm, "key").update(whole).digest("hex");

        expect(Buffer.from(hmac(algorithm, key, { before, body, after })).toString("hex")).toBe(
          expected,
        );
      }),
    );
  });
});

describe("comparing a digest", () => {
  const digest = Buffer.alloc(32, 1);

  it("finds it at every place among the candidates, and nowhere else", () => {
    const others = Array.from({ length: 7 }, (_, index) => Buffer.alloc(32, index + 2));

    for (let place = 0; place <= others.length; place++) {
      expect(isAmong(digest, others.toSpliced(place, 0, Buffer.from(digest)))).toBe(true);
    }
    expect(isAmong(digest, others)).toBe(false);
    expect(isAmong(digest, [])).toBe(false);
  });

  it("looks at the bytes of a view and not at the memory around it", () => {
    const memory = new Uint8Array(96).fill(1, 0, 32);
    const [first, second] = [memory.subarray(0, 32), memory.subarray(32, 64)];

    expect(isAmong(first, [second])).toBe(false);
    expect(isAmong(first, [Uint8Array.from(first)])).toBe(true);
  });
});
