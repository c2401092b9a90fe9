import { describe, expect, it } from "vitest";
import { type JsonErrorCode, type JsonReading, readJson } from "../src/strict-json.ts";

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function nested(depth: number): string {
  return `${"[".repeat(depth)}${"]".repeat(depth)}`;
}

function members(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `"n${index}":${index}`);
}

/** Returns what readJson returns for a text and for its bytes. */
function readings(text: string): readonly JsonReading[] {
  return [readJson(text), readJson(encode(text))];
}

function refusals(code: JsonErrorCode, offset: number): readonly JsonReading[] {
  const refusal = { ok: false, code, offset } as const;
  return [refusal, refusal];
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const loneSurrogates =
  "\\ud800|\\ud83d\\ud83d|\\ude00\\ud83d|\\ud83d\\n|\\ud83dxude00|\\ud83d\\xde00|\\ud83d\\ue000|\\udc00\\udc00".split(
    "|",
  );

describe("readJson", () => {
  it("reads what JSON.parse reads, and keeps the texts of numbers that a double cannot represent", () => {
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

  it.each<[JsonErrorCode, readonly (readonly [string, number])[]]>([
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
        ['["a\\uDFFF"]', 3],
        ['["\\ud83d\\ude0', 2],
        ['{"\\ud800":1}', 2],
        ...loneSurrogates.map((units) => [`["${units}"]`, 2] as const),
      ],
    ],
    [
      "CS_JSON_SYNTAX",
      [
        ['"\\u00@0"', 1],
        ['{"\\q":1}', 2],
        ['"\\ud8"', 1],
        ['"\nud800"', 1],
        ['{"a\u0000":1}', 3],
        ["nul\\ud800", 3],
        ["-Infinity", 1],
        ["{}{}", 2],
        ["[1 2]", 3],
        ['{"a" 1}', 5],
        ['{"é":"€😀",x', 11],
      ],
    ],
    [
      "CS_JSON_EMPTY",
      [
        ["", 0],
        [" \n\r\t", 0],
      ],
    ],
    ["CS_JSON_BOM", [["\u{feff}{}", 0]]],
  ])("refuses a body with %s at the offset of the fault (T-31)", (code, texts) => {
    for (const [text, offset] of texts) expect(readings(text)).toEqual(refusals(code, offset));
  });

  it("accepts exactly what JSON.parse does after each change of one character, and points at it", () => {
    const pieces = ["", ...'09aAfFeE+-.,:"{}[]\\/nux_@`\0\n\u001f\u00a0\u000bé '.split("")];
    const endings = ["", '"', '"}', "]", "}", "0", '":0}', "l", "00"];
    const isDead = (text: string) => endings.every((end) => !parses(text + end));
    const wrong: string[] = [];
    for (const text of ["true", "null", "-10.5e+3", '{"é":[1,"\\u00e9\\n😀"]}', ' [{"a" :{}}, 0] '])
      for (let at = 0; at <= text.length; at += 1)
        for (const piece of pieces)
          for (const removed of [0, 1]) {
            const changed = text.slice(0, at) + piece + text.slice(at + removed);
            const body = changed.toWellFormed();
            const reading = readJson(body);
            if (JSON.stringify(reading) !== JSON.stringify(readJson(encode(body))))
              wrong.push(`bytes of ${body}`);
            if (reading.ok !== parses(body) && reading.ok) wrong.push(body);
            if (reading.ok || reading.code !== "CS_JSON_SYNTAX") continue;
            const { offset } = reading;
            const start = readJson(body.slice(0, offset));
            const isStart = start.ok || start.code === "CS_JSON_EMPTY" || start.offset === offset;
            // An escape's fault is at its backslash, which another escape could follow.
            const isFault = offset === body.length || body[offset] === "\\";
            if (parses(body) || !isStart || !(isFault || isDead(body.slice(0, offset + 1))))
              wrong.push(body);
          }
    expect(wrong).toEqual([]);
  });

  it("reads surrogates at the bounds of their pairs, and names that an outer object has too", () => {
    const many = members(20).join(",");
    const inner = [`{"n16":{${many}}}`, `{${many},"inner":{${many}}}`, '{"inner":{"a":1},"a":2}'];
    for (const text of ['"\\ud800\\udc00\\udbff\\udfff"', ...inner])
      for (const reading of readings(text))
        expect(reading).toMatchObject({ ok: true, value: JSON.parse(text) as unknown });
  });

  it("throws a TypeError for a body that is neither bytes nor a text", () => {
    const error = new TypeError('"body" must be a Uint8Array or a string');
    for (const body of [1, [0x7b, 0x7d], undefined])
      // The cast simulates a caller without types.
      expect(() => readJson(body as unknown as string)).toThrow(error);
  });
});

describe("the depth of a body", () => {
  it("counts only the containers open at once", () => {
    expect(readJson(`[${Array(20).fill(nested(15)).join(",")}]`).ok).toBe(true);
  });

  it.each([
    ["arrays", "[".repeat(1_000_000), 16],
    ["objects", '{"a":'.repeat(1_000_000), 80],
  ])("of a million %s is refused without a stack overflow", (_, text, offset) => {
    expect(readJson(text)).toEqual({ ok: false, code: "CS_JSON_DEPTH", offset });
  });

  it("is at most 16, or the limit of the options, a whole number from 1 to 1024", () => {
    for (const [depth, options] of [
      [16, {}],
      [1, { depth: 1 }],
      [1024, { depth: 1024 }],
    ] as const) {
      const refusal = { ok: false, code: "CS_JSON_DEPTH", offset: depth };
      for (const body of [nested(depth + 1), encode(nested(depth + 1))])
        expect(readJson(body, options)).toEqual(refusal);
      expect(readJson(nested(depth), options).ok).toBe(true);
    }
    const error = new TypeError('"depth" must be a whole number from 1 to 1024');
    for (const depth of [0, -1, 1.5, 1025, Number.NaN, Infinity])
      expect(() => readJson("1", { depth })).toThrow(error);
  });
});

describe("the names of an object with many members", () => {
  it.each([3, 15, 16, 17, 18, 1000])("are compared unescaped in an object of %i", (count) => {
    const all = members(count).join(",");
    expect(readJson(`{${all}}`).ok).toBe(true);
    for (const again of ["n0", `n${count >> 1}`, `n${count - 1}`, "\\u006e1"]) {
      const text = `{${all},"${again}":0}`;
      const offset = text.lastIndexOf(`"${again}`);
      expect(readJson(text)).toEqual({ ok: false, code: "CS_JSON_DUPLICATE_MEMBER", offset });
    }
    expect(readJson(`{${all},"__proto__":0}`)).toMatchObject({ code: "CS_JSON_FORBIDDEN_MEMBER" });
  });

  it("take linear time, also below an object with some", { timeout: 10_000 }, () => {
    const inner = `{${members(100_000).join(",")}}`;
    expect(readJson(`{${members(20).join(",")},"inner":${inner}}`).ok).toBe(true);
  });

  it("may begin or end like a forbidden one", () => {
    expect(readJson('{"__proto_":1,"__proto___":2,"constructo":3,"prototypes":4}').ok).toBe(true);
  });
});

describe("bytes that are not UTF-8 (RFC 3629 section 4)", () => {
  it("are refused at the end of the longest start that TextDecoder accepts", () => {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const isUtf8 = (bytes: readonly number[]) => {
      try {
        return decoder.decode(Uint8Array.from(bytes)) !== undefined;
      } catch {
        return false;
      }
    };
    const leads = [0x41, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff];
    // EF BF BD is U+FFFD itself, which is not a fault.
    const tails = [0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbd, 0xbf, 0xc2];
    const wrong: string[] = [];
    for (const lead of leads)
      for (const second of tails)
        for (const third of tails)
          for (const fourth of tails) {
            const bytes = [lead, second, third, fourth];
            let longest = bytes.length;
            while (!isUtf8(bytes.slice(0, longest))) longest -= 1;
            const reading = readJson(Uint8Array.from([0x22, ...bytes, 0x22]));
            const found = reading.ok ? bytes.length : reading.offset - 1;
            const isOther = !reading.ok && reading.code !== "CS_JSON_ENCODING";
            if (found !== longest || isOther) wrong.push(bytes.join(" "));
          }
    expect(wrong).toEqual([]);
  });

  it("are refused in a text as its lone surrogates, at the end of a cut body and after a byte order mark", () => {
    expect(readJson('"a😀\ud800"')).toEqual({ ok: false, code: "CS_JSON_ENCODING", offset: 4 });
    for (const [offset, bytes] of [
      [1, [0x22, 0xf0, 0x9f, 0x98]],
      [3, [0xef, 0xbb, 0xbf, 0xff]],
    ] as const)
      expect(readJson(Uint8Array.from(bytes))).toEqual({
        ok: false,
        code: "CS_JSON_ENCODING",
        offset,
      });
  });
});

/** Returns a body with the longest pointers that are accepted, and the count of its numbers. */
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

describe("the numbers that readJson returns", () => {
  const longest = `1${"0".repeat(308)}`;
  const tiny = (zeros: number) => `0.${"0".repeat(zeros)}1`;
  const inexact =
    "9007199254740993 -1234567890123456e0 0.0000001234567890123456 1e309 1.8e308 1e-308 1e-400 " +
    `1000000000000001 1.000000000000001e3 ${longest}0 ${tiny(308)}`;
  const exact =
    "0 -0 123456789012345000000.000 0.000000000000000000012345 1.7e308 2.3e-308 0e999 -0.0E-999 " +
    "123456789012345 1234567890123.45 1000000000000000 " +
    `${longest} ${longest.slice(0, -9)} ${longest.slice(0, -10)} ${tiny(306)} -0.${"0".repeat(400)}`;

  it("include each one that a double cannot represent, and no other", () => {
    for (const text of inexact.split(" "))
      expect(readJson(text)).toMatchObject({ numbers: new Map([["", text]]) });
    for (const text of exact.split(" "))
      expect(readJson(text)).toMatchObject({ ok: true, numbers: new Map() });
  });

  it("are refused if a long name above many of them makes their pointers too long", () => {
    const { body, count } = fullBody();
    const reading = readJson(body, { numbers: "all" });
    expect(reading).toMatchObject({ ok: true, numbers: { size: count } });
    expect(readJson(body.replace('"n', '"nn'), { numbers: "all" })).toMatchObject({
      code: "CS_JSON_POINTERS",
    });
    expect(readJson(body.replace('"n', '"nn')).ok).toBe(true);
  });
});
