import { describe, expect, it } from "vitest";
import { readJson } from "../src/strict-json.ts";

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function nested(depth: number): string {
  return `${"[".repeat(depth)}${"]".repeat(depth)}`;
}

function members(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `"n${index}":${index}`);
}

/** Numbers under a name of 30,000 units. */
function many(count: number): string {
  return `{"${"n".repeat(30_000)}":[${Array(count).fill("1").join(",")}]}`;
}

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
    ["two equal members", '{"a":1,"a":1}', "CS_JSON_DUPLICATE_MEMBER", 7],
    ["an escaped second name (T-31)", '{"a":1,"\\u0061":2}', "CS_JSON_DUPLICATE_MEMBER", 7],
    ["an escaped first name (T-31)", '{"\\u0061":1,"a":2}', "CS_JSON_DUPLICATE_MEMBER", 12],
    ["two escaped names", '{"\\u0061b":1,"a\\u0062":2}', "CS_JSON_DUPLICATE_MEMBER", 13],
    ["two empty names", '{"":1,"":2}', "CS_JSON_DUPLICATE_MEMBER", 6],
    ["a duplicate after an inner object", '{"a":{"b":1},"a":2}', "CS_JSON_DUPLICATE_MEMBER", 13],
    ["a duplicate in an inner object", '{"b":[{"b":1,"b":2}]}', "CS_JSON_DUPLICATE_MEMBER", 13],
    ["two names beyond ASCII", '{"é":1,"\\u00e9":2}', "CS_JSON_DUPLICATE_MEMBER", 7],
    ["__proto__", '{"__proto__":{}}', "CS_JSON_FORBIDDEN_MEMBER", 1],
    ["an escaped __proto__", '{"\\u005f_proto__":{}}', "CS_JSON_FORBIDDEN_MEMBER", 1],
    ["constructor", '[{"constructor":1}]', "CS_JSON_FORBIDDEN_MEMBER", 2],
    ["prototype", '{"a":{"prototype":1}}', "CS_JSON_FORBIDDEN_MEMBER", 6],
    ["__proto__ twice", '{"__proto__":1,"__proto__":1}', "CS_JSON_FORBIDDEN_MEMBER", 1],
    ["an escaped high surrogate alone", '["\\ud800"]', "CS_JSON_LONE_SURROGATE", 2],
    ["an escaped low surrogate alone", '["a\\uDFFF"]', "CS_JSON_LONE_SURROGATE", 3],
    ["two high surrogates", '["\\ud83d\\ud83d"]', "CS_JSON_LONE_SURROGATE", 2],
    ["surrogates in the wrong order", '["\\ude00\\ud83d"]', "CS_JSON_LONE_SURROGATE", 2],
    ["a high surrogate before another escape", '["\\ud83d\\n"]', "CS_JSON_LONE_SURROGATE", 2],
    ["a high surrogate before a letter and u", '["\\ud83dxude00"]', "CS_JSON_LONE_SURROGATE", 2],
    ["two low surrogates", '["\\udc00\\udc00"]', "CS_JSON_LONE_SURROGATE", 2],
    ["a high surrogate before text", '["\\ud83dude00"]', "CS_JSON_LONE_SURROGATE", 2],
    ["a high surrogate and half an escape", '["\\ud83d\\ude0', "CS_JSON_LONE_SURROGATE", 2],
    ["a high surrogate and another letter", '["\\ud83d\\xde00"]', "CS_JSON_LONE_SURROGATE", 2],
    ["a high surrogate beyond the low ones", '["\\ud83d\\ue000"]', "CS_JSON_LONE_SURROGATE", 2],
    ["a lone surrogate in a name", '{"\\ud800":1}', "CS_JSON_LONE_SURROGATE", 2],
    ["no text", "", "CS_JSON_EMPTY", 0],
    ["whitespace", " \n\r\t", "CS_JSON_EMPTY", 0],
    ["a byte order mark", "\u{feff}{}", "CS_JSON_BOM", 0],
  ])("refuses %s", (_, text, code, offset) => {
    expect(readJson(text)).toEqual({ ok: false, code, offset });
    expect(readJson(encode(text))).toEqual({ ok: false, code, offset });
  });

  it.each([
    ['{"a":1', 6],
    ['{"a":1]', 6],
    ["[1}", 2],
    ["[1,]", 3],
    ['{"a":1,}', 7],
    ["{,}", 1],
    ["[,1]", 1],
    ["[1 2]", 3],
    ['{"a" 1}', 5],
    ['{"a":}', 5],
    ['{"a"', 4],
    ["{a:1}", 1],
    ["{'a':1}", 1],
    ["[", 1],
    ["{", 1],
    ["]", 0],
    [":", 0],
    ["1 1", 2],
    ["{}{}", 2],
    ["[]]", 2],
    ['"a', 2],
    ['"a\n"', 2],
    ['"\u001f"', 1],
    ['"\u0001xdc00"', 1],
    ['{"\u0001xdc00":1}', 2],
    ['{"a\u0000":1}', 3],
    ['{"a', 3],
    ['"\\', 1],
    ['"\\x41"', 1],
    ['"\\u12"', 1],
    ['"\\u12g4"', 1],
    ['"\\u00_f"', 1],
    ['"\\u00@0"', 1],
    ['"\\u00:0"', 1],
    ['"\\u00/0"', 1],
    ['"\\u00`0"', 1],
    ['"\\U0041"', 1],
    ['"\\ud8"', 1],
    ['{"\\q":1}', 2],
    ["01", 1],
    ["-", 1],
    ["-a", 1],
    ["--1", 1],
    ["+1", 0],
    [".5", 0],
    ["1.", 2],
    ["1.e5", 2],
    ["1e", 2],
    ["1e+", 3],
    ["1E-x", 3],
    ["0x10", 1],
    ["1_000", 1],
    ["NaN", 0],
    ["Infinity", 0],
    ["-Infinity", 1],
    ["tru", 3],
    ["trUe", 2],
    ["falsy", 4],
    ["nul\\ud800", 3],
    ["nulll", 4],
    ["undefined", 0],
    ["// comment\n1", 0],
    ["\u00a01", 0],
    ["\u000b1", 0],
    ["é", 0],
    ['{"é":"€😀",x', 11],
  ])("refuses %j at offset %i", (text, offset) => {
    expect(readJson(text)).toEqual({ ok: false, code: "CS_JSON_SYNTAX", offset });
    expect(readJson(encode(text))).toEqual({ ok: false, code: "CS_JSON_SYNTAX", offset });
  });

  it.each([
    ['" \\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\uabCD\\uEF09\\ud83d\\ude00\\ud800\\udc00\\udbff\\udfff"'],
    ["[0,-0,0.5,-1.25e+3,1E5,1e-5,10]"],
    ['[true,false,null,"",[],{}]'],
    ['\t\r\n {"a" : [ 1 , 2 ] , "b" : { } }\n'],
    ['{"hasOwnProperty":1,"toString":2,"__proto_":3,"_proto__":4,"Constructor":5}'],
    ['{"a":{"a":{"a":1}},"b":{"a":2}}'],
    ['[{"a":1},{"a":1}]'],
    ['"\u007f\u0080\uffff\u{10ffff}"'],
  ])("reads %s as JSON.parse does", (text) => {
    expect(readJson(text)).toMatchObject({ ok: true, value: JSON.parse(text) as unknown });
    expect(readJson(encode(text))).toMatchObject({ ok: true, value: JSON.parse(text) as unknown });
  });

  it.each([
    ["a number for a body", 1],
    ["an array of bytes", [0x7b, 0x7d]],
    ["nothing", undefined],
  ])("takes %s for a mistake of the caller", (_, body) => {
    // The cast stands for a caller without types.
    expect(() => readJson(body as unknown as string)).toThrow(
      new TypeError('"body" must be a Uint8Array or a string'),
    );
  });
});

describe("the depth of a body", () => {
  it("is 16 at most", () => {
    expect(readJson(nested(15)).ok).toBe(true);
    expect(readJson(nested(16)).ok).toBe(true);
    expect(readJson(nested(17))).toEqual({ ok: false, code: "CS_JSON_DEPTH", offset: 16 });
  });

  it("is that of the containers open at once", () => {
    expect(readJson(`[${Array(20).fill(nested(15)).join(",")}]`).ok).toBe(true);
  });

  it.each([
    ["arrays", "[".repeat(1_000_000), 16],
    ["objects", '{"a":'.repeat(1_000_000), 80],
  ])("of a million %s is refused without a stack overflow", (_, text, offset) => {
    expect(readJson(text)).toEqual({ ok: false, code: "CS_JSON_DEPTH", offset });
  });

  it.each([1, 3, 1024])("can be limited to %i", (depth) => {
    expect(readJson(encode(nested(depth)), { depth }).ok).toBe(true);
    expect(readJson(encode(nested(depth + 1)), { depth }).ok).toBe(false);
    expect(readJson(nested(depth), { depth }).ok).toBe(true);
    expect(readJson(nested(depth + 1), { depth })).toEqual({
      ok: false,
      code: "CS_JSON_DEPTH",
      offset: depth,
    });
  });

  it.each([0, -1, 1.5, 1025, Number.NaN, Infinity])("cannot be limited to %d", (depth) => {
    expect(() => readJson("1", { depth })).toThrow(
      new TypeError('"depth" must be a whole number from 1 to 1024'),
    );
  });
});

describe("the names of an object with many members", () => {
  it.each([15, 16, 17, 18, 1000])("are %i, and none of them twice", (count) => {
    const all = members(count);
    expect(readJson(`{${all.join(",")}}`).ok).toBe(true);
    for (const again of [0, count >> 1, count - 1]) {
      const text = `{${all.join(",")},"n${again}":0}`;
      const offset = text.lastIndexOf('"n');
      expect(readJson(text)).toEqual({ ok: false, code: "CS_JSON_DUPLICATE_MEMBER", offset });
    }
  });

  it.each([3, 16, 40])("are compared unescaped, after %i others too", (count) => {
    const text = `{${members(count).join(",")},"\\u006e1":0}`;
    expect(readJson(text)).toMatchObject({ code: "CS_JSON_DUPLICATE_MEMBER" });
  });

  it.each([3, 16, 40])("include no forbidden one, after %i others too", (count) => {
    const text = `{${members(count).join(",")},"__proto__":0}`;
    expect(readJson(text)).toMatchObject({ code: "CS_JSON_FORBIDDEN_MEMBER" });
  });

  it("are independent of those of the objects around", () => {
    const inner = `{${members(20).join(",")}}`;
    expect(readJson(`{"n16":{${members(17).join(",")}}}`).ok).toBe(true);
    const outer = members(20).map((_, index) => `"n${index}":${inner}`);
    expect(readJson(`{${outer.join(",")}}`).ok).toBe(true);
    expect(readJson(`{${outer.join(",")},"n3":1}`)).toMatchObject({
      code: "CS_JSON_DUPLICATE_MEMBER",
    });
  });

  it.each([
    ["Aa", "BB"],
    ["AaAa", "BBBB"],
    ["\\u0041a", "BB"],
    ["Aa", "B\\u0042"],
    ["xAa", "xBB"],
    ["xAay", "xBBy"],
    ["xAa\\n", "xBB\\n"],
  ])("may share a hash: %s and %s are two names", (a, b) => {
    expect(readJson(`{"${a}":1,"${b}":2}`).ok).toBe(true);
    expect(readJson(`{"${a}":1,"${b}":2,"${a}":3}`)).toMatchObject({
      code: "CS_JSON_DUPLICATE_MEMBER",
    });
  });

  it("may share their hash with a forbidden one", () => {
    // One unit less is made up for by 31 more in the next.
    expect(readJson('{"`@proto__":1}').ok).toBe(true);
    expect(readJson('{"^~proto__":1}').ok).toBe(true);
  });
});

describe("bytes that are not UTF-8", () => {
  it("are refused at the offset of the byte", () => {
    expect(readJson(new Uint8Array([0x22, 0xc3, 0xa9, 0xff, 0x22]))).toEqual({
      ok: false,
      code: "CS_JSON_ENCODING",
      offset: 3,
    });
  });

  it("are a text's lone surrogates", () => {
    expect(readJson('"a😀\ud800"')).toEqual({ ok: false, code: "CS_JSON_ENCODING", offset: 4 });
  });
});

/** A body whose pointers are together as long as may be, and how many numbers it holds. */
function fullBody(): { body: string; count: number } {
  for (let count = 200; ; count += 1) {
    const indexes = Array.from({ length: count }, (_, index) => String(index).length);
    const digits = indexes.reduce((sum, length) => sum + length, 0);
    // count * (name + 2) + digits = 65,536 + 16 * (name + 2 * count + 6)
    const name = (65_536 + 16 * (2 * count + 6) - 2 * count - digits) / (count - 16);
    if (Number.isInteger(name))
      return { body: `{"${"n".repeat(name)}":[${Array(count).fill("1").join(",")}]}`, count };
  }
}

describe("the numbers that readJson holds", () => {
  it("are all of them where asked for", () => {
    const text = '[1,{"a":-2.50,"b":[3e0,"4",[]]},5]';
    expect(readJson(text, { numbers: "all" })).toMatchObject({
      numbers: new Map([
        ["/0", "1"],
        ["/1/a", "-2.50"],
        ["/1/b/0", "3e0"],
        ["/2", "5"],
      ]),
    });
    expect(readJson(encode(text), { numbers: "all" })).toEqual(readJson(text, { numbers: "all" }));
    expect(readJson("7", { numbers: "all" })).toMatchObject({ numbers: new Map([["", "7"]]) });
  });

  it.each([
    "9007199254740993",
    "1234567890.123456",
    "0.1234567890123456",
    "-1234567890123456e0",
    "0.0000001234567890123456",
    "1e309",
    "-1e309",
    "1.8e308",
    "1e-308",
    "4e-324",
    "1e-400",
    "1000000000000001",
    "1.000000000000001e3",
    `1${"0".repeat(309)}`,
    `0.${"0".repeat(308)}1`,
  ])("hold %s, which a double cannot", (text) => {
    expect(readJson(text)).toMatchObject({ numbers: new Map([["", text]]) });
  });

  it.each([
    "0",
    "-0",
    "100000000000000000000",
    "123456789012345000000.000",
    "0.000000000000000000012345",
    "1.7e308",
    "2.3e-308",
    "0e999",
    "-0.0E-999",
    "123456789012345",
    "99999999.99",
    "0.100000000000000000",
    "1000000000000000",
    `1${"0".repeat(298)}`,
    `1${"0".repeat(299)}`,
    `1${"0".repeat(308)}`,
    `0.${"0".repeat(306)}1`,
    `-0.${"0".repeat(400)}`,
  ])("leave out %s, which a double keeps", (text) => {
    expect(readJson(text)).toMatchObject({ ok: true, numbers: new Map() });
  });

  it("have pointers in proportion to the body: a long name above many of them is refused", () => {
    const { body, count } = fullBody();
    const reading = readJson(body, { numbers: "all" });
    expect(reading).toMatchObject({ ok: true, numbers: { size: count } });
    expect(readJson(body.replace('"n', '"nn'), { numbers: "all" })).toMatchObject({
      code: "CS_JSON_POINTERS",
    });
    expect(readJson(many(10), { numbers: "all" }).ok).toBe(true);
    expect(readJson(many(17_000), { numbers: "all" })).toMatchObject({
      ok: false,
      code: "CS_JSON_POINTERS",
    });
    expect(readJson(many(17_000)).ok).toBe(true);
  });
});
