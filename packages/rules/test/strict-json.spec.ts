import { describe, expect, it } from "vitest";
import { type JsonErrorCode, type JsonReading, readJson } from "../src/strict-json.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const members = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `"n${index}":${index}`);

/** Returns what readJson returns for a text, which is the same for its bytes. */
function read(text: string, options?: Parameters<typeof readJson>[1]): JsonReading {
  const reading = readJson(text, options);
  expect(readJson(encode(text), options)).toEqual(reading);
  return reading;
}

describe("readJson", () => {
  it("reads what JSON.parse reads, and keeps the texts of numbers that a double cannot represent", () => {
    const text = '{"a":[1,2,{"b/c~d":1.0000000000000000055}],"e":1.10,"f":1e400,"g":1e-400}';

    expect(read(text)).toEqual({
      ok: true,
      value: JSON.parse(text) as unknown,
      numbers: new Map([
        ["/a/2/b~1c~0d", "1.0000000000000000055"],
        ["/f", "1e400"],
        ["/g", "1e-400"],
      ]),
    });
  });

  it.each<[JsonErrorCode, readonly (readonly [string, number?])[]]>([
    [
      "CS_JSON_DUPLICATE_MEMBER",
      [
        ['{"value":1,"value":999}', 11],
        ['{"a":1,"\\u0061":2}', 7],
        ['{"\\u0061":1,"a":2}', 12],
        ['{"":1,"":2}', 6],
        ['{"a":{"b":1},"a":2}', 13],
        ['{"b":[{"b":1,"b":2}]}', 13],
        ['{"é":1,"\\u00e9":2}', 7],
      ],
    ],
    [
      "CS_JSON_FORBIDDEN_MEMBER",
      [
        ['{"__proto__":1,"__proto__":1}', 1],
        ['{"\\u005f_proto__":{}}', 1],
        ['[{"constructor":1}]', 2],
        ['{"a":{"prototype":1}}', 6],
      ],
    ],
    [
      "CS_JSON_LONE_SURROGATE",
      [
        "a\\uDFFF",
        "\\ud800",
        "\\ud83d\\ud83d",
        "\\ude00\\ud83d",
        "\\ud83d\\n",
        "\\ud83d\\ue000",
      ].flatMap((units) => [[`["${units}"]`, 1] as const, [`{"${units}":1}`, 1] as const]),
    ],
    ["CS_JSON_SYNTAX", [["{", 1], ["{}{}", 2], ["[1 2]", 3], ['{"a" 1}', 5], ['"\\ud8"'], ["nul"]]],
    [
      "CS_JSON_EMPTY",
      [
        ["", 0],
        [" \n\r\t", 0],
      ],
    ],
    ["CS_JSON_BOM", [["\u{feff}{}", 0]]],
  ])("refuses a body with %s and says where (T-31)", (code, texts) => {
    for (const [text, offset] of texts)
      expect(read(text)).toMatchObject({
        ok: false,
        code,
        ...(offset !== undefined && { offset }),
      });
  });

  it("reads surrogates at the bounds of their pairs, and names that an outer object has too", () => {
    const many = members(20).join(",");
    const inner = [`{"n16":{${many}}}`, `{${many},"inner":{${many}}}`, '{"inner":{"a":1},"a":2}'];
    for (const text of ['"\\ud800\\udc00\\udbff\\udfff"', ...inner])
      expect(read(text)).toMatchObject({ ok: true, value: JSON.parse(text) as unknown });
  });

  it("throws a TypeError for a body that is neither bytes nor a text", () => {
    const error = new TypeError('"body" must be a Uint8Array or a string');
    for (const body of [1, [0x7b, 0x7d], undefined])
      // The cast simulates a caller without types.
      expect(() => readJson(body as unknown as string)).toThrow(error);
  });

  it.each([
    ["not UTF-8", Uint8Array.of(0x22, 0xff, 0x22)],
    ["half a character", Uint8Array.of(0x22, 0xf0, 0x9f, 0x98)],
    ["a lone surrogate", '"a\ud800"'],
  ])("refuses a body that is %s with CS_JSON_ENCODING", (_, body) => {
    expect(readJson(body)).toEqual({ ok: false, code: "CS_JSON_ENCODING" });
  });
});

describe("the depth of a body", () => {
  it("counts only the containers open at once", () => {
    expect(read(`[${Array(20).fill(nested(15)).join(",")}]`).ok).toBe(true);
  });

  it.each([
    ["arrays", nested(100_000), 16],
    ["objects", `${'{"a":'.repeat(100_000)}0${"}".repeat(100_000)}`, 80],
  ])("of a hundred thousand %s is refused without a stack overflow", (_, text, offset) => {
    expect(readJson(text)).toEqual({ ok: false, code: "CS_JSON_DEPTH", offset });
  });

  it("is at most 16, or the limit of the options, a whole number from 1 to 1024", () => {
    for (const [depth, options] of [
      [16, {}],
      [1, { depth: 1 }],
      [1024, { depth: 1024 }],
    ] as const) {
      expect(read(nested(depth + 1), options)).toMatchObject({ code: "CS_JSON_DEPTH" });
      expect(read(nested(depth), options).ok).toBe(true);
    }
    const error = new TypeError('"depth" must be a whole number from 1 to 1024');
    for (const depth of [0, -1, 1.5, 1025, Number.NaN, Infinity])
      expect(() => readJson("1", { depth })).toThrow(error);
  });
});

describe("the names of an object with many members", () => {
  it.each([3, 15, 16, 17, 18, 1000])("are compared unescaped in an object of %i", (count) => {
    const all = members(count).join(",");
    expect(read(`{${all}}`).ok).toBe(true);
    for (const again of ["n0", `n${count >> 1}`, `n${count - 1}`, "\\u006e1"])
      expect(read(`{${all},"${again}":0}`)).toMatchObject({ code: "CS_JSON_DUPLICATE_MEMBER" });
    expect(read(`{${all},"__proto__":0}`)).toMatchObject({ code: "CS_JSON_FORBIDDEN_MEMBER" });
  });

  it("take linear time, also below an object with some", { timeout: 10_000 }, () => {
    const inner = `{${members(100_000).join(",")}}`;
    expect(readJson(`{${members(20).join(",")},"inner":${inner}}`).ok).toBe(true);
  });
});

describe("the numbers that readJson returns", () => {
  const longest = `1${"0".repeat(308)}`;
  const tiny = (zeros: number) => `0.${"0".repeat(zeros)}1`;
  const inexact =
    "9007199254740993 -1234567890123456e0 0.0000001234567890123456 1e309 1.8e308 1e-308 1e-400 " +
    `1000000000000001 1.000000000000001e3 ${longest}0 ${tiny(308)}`;
  const exact =
    "0 -0 123456789012345000000.000 0.000000000000000000012345 1.7e308 2.3e-308 0e999 -0.0E-999 " +
    "123456789012345 1234567890123.45 1000000000000000 " +
    `${longest} ${longest.slice(0, -9)} ${tiny(306)} -0.${"0".repeat(400)}`;

  it("include each one that a double cannot represent, and no other", () => {
    for (const text of inexact.split(" "))
      expect(read(text)).toMatchObject({ numbers: new Map([["", text]]) });
    for (const text of exact.split(" "))
      expect(read(text)).toMatchObject({ ok: true, numbers: new Map() });
  });

  it("are refused if a long name above many of them makes their pointers too long", () => {
    // The pointers of 200 numbers below a name of 400 letters have more than 65,536 units and 16 for each of the body.
    const body = (letters: number): string => `{"${"n".repeat(letters)}":[${"1,".repeat(199)}1]}`;
    const longer = body(400);
    expect(read(body(300), { numbers: "all" })).toMatchObject({ ok: true, numbers: { size: 200 } });
    expect(read(longer, { numbers: "all" })).toMatchObject({ code: "CS_JSON_POINTERS" });
    expect(read(longer).ok).toBe(true);
  });
});
