import { describe, expect, it } from "vitest";
import { readJson } from "../src/strict-json.ts";

describe("readJson", () => {
  it("reads what JSON.parse reads, and holds the texts of numbers that a double cannot", () => {
    const text = '{"a":[1,2,{"b/c~d":1.0000000000000000055}],"e":1.10,"f":1e400,"g":1e-400}';

    expect(readJson(text)).toEqual({
      ok: true,
      value: JSON.parse(text) as unknown,
      numbers: new Map([
        ["/a/2/b~1c~0d", "1.0000000000000000055"],
        ["/f", "1e400"],
        ["/g", "1e-400"],
      ]),
    });
  });

  it.each([
    ["two members of one name (T-31)", '{"value":1,"value":999}', "CS_JSON_DUPLICATE_MEMBER", 11],
    ["an escaped second name (T-31)", '{"a":1,"\\u0061":2}', "CS_JSON_DUPLICATE_MEMBER", 7],
    ["__proto__", '{"__proto__":{}}', "CS_JSON_FORBIDDEN_MEMBER", 1],
    ["an escaped __proto__", '{"\\u005f_proto__":{}}', "CS_JSON_FORBIDDEN_MEMBER", 1],
    ["constructor", '[{"constructor":1}]', "CS_JSON_FORBIDDEN_MEMBER", 2],
    ["prototype", '{"a":{"prototype":1}}', "CS_JSON_FORBIDDEN_MEMBER", 6],
    ["depth 17", "[".repeat(17), "CS_JSON_DEPTH", 16],
    ["depth 1,000,000", '{"a":'.repeat(1_000_000), "CS_JSON_DEPTH", 80],
    ["an escaped lone surrogate", '["\\ud800"]', "CS_JSON_LONE_SURROGATE", 2],
    ["no text", "", "CS_JSON_EMPTY", 0],
    ["whitespace", " \n", "CS_JSON_EMPTY", 0],
    ["a byte order mark", "\u{feff}{}", "CS_JSON_BOM", 0],
    ["an open object", '{"a":1', "CS_JSON_SYNTAX", 6],
    ["a trailing comma", "[1,]", "CS_JSON_SYNTAX", 3],
  ])("refuses %s", (_, text, code, offset) => {
    expect(readJson(text)).toEqual({ ok: false, code, offset });
    expect(readJson(new TextEncoder().encode(text))).toEqual({ ok: false, code, offset });
  });

  it("refuses bytes that are not UTF-8, at the byte's offset", () => {
    expect(readJson(new Uint8Array([0x22, 0xc3, 0xa9, 0xff, 0x22]))).toEqual({
      ok: false,
      code: "CS_JSON_ENCODING",
      offset: 3,
    });
  });
});
