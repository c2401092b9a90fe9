import { Big } from "big.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson } from "../src/strict-json.ts";
import { jsonText, verdicts } from "./json-texts.ts";
import { jsonNumberText } from "./number-texts.ts";

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

type Reviver = (
  this: unknown,
  key: string,
  value: unknown,
  context: { source?: string },
) => unknown;

const asSource: Reviver = (_, value, { source }) =>
  typeof value === "number" ? { numberSource: source } : value;

/** Every number's source text by its pointer, as the engine reports it. */
function sources(text: string): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (value: unknown, pointer: string): void => {
    if (typeof value !== "object" || value === null) return;
    if ("numberSource" in value) found.set(pointer, String(value.numberSource));
    else
      for (const [key, child] of Object.entries(value))
        walk(child, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  };
  // The cast drops the third argument, which the library's types do not know yet.
  walk(JSON.parse(text, asSource as (this: unknown, key: string, value: unknown) => unknown), "");
  return found;
}

describe("readJson", () => {
  it("reads strict texts and their bytes as JSON.parse does, and names a fault that a slow reader finds", () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const reading = readJson(text);
        expect(verdicts(text)).toContain(reading.ok ? "ok" : reading.code);
        expect(readJson(encode(text))).toEqual(reading);
        expect(reading).toMatchObject(reading.ok ? { value: JSON.parse(text) as unknown } : {});
      }),
      { numRuns: 250 },
    );
  });

  it("never throws for any bytes, and returns an offset within them", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .tuple(jsonText.map(encode), fc.nat(), fc.nat(255))
        .map(([body, where, byte]) => body.with(where % body.length, byte)),
    );
    fc.assert(
      fc.property(bytes, (body) => {
        const reading = readJson(body);
        const { offset = 0 } = reading.ok ? {} : reading;
        expect(offset).toBeGreaterThanOrEqual(0);
        expect(offset).toBeLessThanOrEqual(body.length);
      }),
      { numRuns: 250 },
    );
  });
});

describe("the numbers of readJson", () => {
  it("are all source texts by their pointers, as JSON.parse passes them to a reviver", () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const reading = readJson(text, { numbers: "all" });
        fc.pre(reading.ok);
        expect(reading.numbers).toEqual(sources(text));
      }),
      { numRuns: 400 },
    );
  });

  it("include each one whose double prints another value", () => {
    fc.assert(
      fc.property(jsonNumberText, (text) => {
        const reading = readJson(`[${text}]`);
        fc.pre(reading.ok);
        const isHeld = reading.numbers.get("/0") === text;
        const double = Number(text);
        const isFaithful = Number.isFinite(double) && new Big(String(double)).eq(text);
        expect(isHeld || isFaithful).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
