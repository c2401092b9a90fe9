import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson } from "../src/strict-json.ts";
import { brokenJsonText, jsonText, verdicts } from "./json-texts.ts";
import { strictJsonProperties } from "./strict-json-properties.ts";

function verdict(body: string | Uint8Array): string {
  const reading = readJson(body);
  return reading.ok ? "ok" : reading.code;
}

strictJsonProperties(25);

describe("readJson, over 100,000 bodies", () => {
  it("accepts what JSON.parse reads, and of that only what is strict", () => {
    fc.assert(
      fc.property(fc.oneof(jsonText, brokenJsonText), (text) => {
        expect(verdicts(text)).toContain(verdict(text));
      }),
      { numRuns: 100_000 },
    );
  });

  it("never throws, and leaves Object.prototype as it was", () => {
    const before = Reflect.ownKeys(Object.prototype);
    const names = fc.constantFrom("__proto__", "\\u005f_proto__", "constructor", "prototype", "a");
    const body = fc
      .tuple(names, names, fc.uint8Array({ maxLength: 20 }))
      .map(([a, b, bytes]) => [
        ...new TextEncoder().encode(`{"${a}":{"${b}":{"polluted":1}},"x":"`),
        ...bytes,
        ...new TextEncoder().encode('"}'),
      ]);
    fc.assert(
      fc.property(body, (bytes) => {
        const reading = readJson(Uint8Array.from(bytes));
        Object.assign({}, reading.ok ? reading.value : undefined);
        expect("polluted" in {}).toBe(false);
      }),
      { numRuns: 100_000 },
    );
    expect(Reflect.ownKeys(Object.prototype)).toEqual(before);
  });
});
