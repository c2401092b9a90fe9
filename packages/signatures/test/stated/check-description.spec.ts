import { describe, expect, it } from "vitest";
import { describedHmac, type HmacDescription, hmacPresets } from "../../src/stated/index.ts";
import { thrownBy } from "./attempts.ts";

const { xSignature: base, timestamped, unseparated, body } = hmacPresets;

function make(description: unknown) {
  return () => describedHmac(description as HmacDescription);
}

function isRefused(separator: string): boolean {
  return thrownBy(() => describedHmac({ ...base, separator })) !== undefined;
}

const list = { kind: "list", prefix: "", separator: "," };
const pairs = { kind: "pairs", timestamp: "t", signature: "v1" };
const single = { kind: "single", prefix: "" };

const long = "x".repeat(65);
const headersOf = (change: object) => ({ headers: { ...base.headers, ...change } });
const formsOf = (form: object, ...changes: object[]) =>
  changes.map((change) => ({ form: { ...form, ...change } }));
const each = (name: string, ...values: unknown[]) => values.map((value) => ({ [name]: value }));
const [twoHeaders, x] = [{ id: "I", timestamp: "T" }, { x: 1 }];

/** Mistakes, each a change of a preset, by the message that names them. */
const mistakes: readonly (readonly [RegExp, HmacDescription, readonly object[]])[] = [
  [/^the description has an unknown member "toleranceSecond"/, base, [{ toleranceSecond: 300 }]],
  [/"name"/, base, each("name", "", long, "X Signature")],
  [/"algorithm"/, base, each("algorithm", "sha1", "md5", "toString", ["sha256"])],
  [/"encoding"/, base, each("encoding", "base64url")],
  [/"headers"/, base, each("headers", [], null, twoHeaders)],
  [/^"headers" has .*"nonce"/, base, [headersOf({ nonce: "N" })]],
  [/token/, base, [1, "", "I:\r\n", long].map((id) => headersOf({ id }))],
  [/different headers/, base, [headersOf({ id: "x-SIGNATURE" })]],
  [/"form"/, base, each("form", [])],
  [/single, list or pairs/, base, each("form", { kind: "jwt" })],
  [/^"form" has an unknown member "x"/, base, [...formsOf(single, x), ...formsOf(list, x)]],
  [/^"form" has an unknown member "x"/, timestamped, formsOf(pairs, x)],
  [/"prefix"/, base, formsOf({ kind: "single" }, {}, { prefix: " " }, { prefix: long })],
  [/"prefix"/, base, formsOf({ kind: "list", separator: "," }, {})],
  [/separator of a list/, base, formsOf(list, { separator: ";" })],
  [/must not contain the separator/, base, formsOf(list, { prefix: "v1," })],
  [/different names/, timestamped, formsOf(pairs, { signature: "t" })],
  [/pair's name/, timestamped, formsOf(pairs, { timestamp: "t=" }, { signature: long })],
  [/pair's name/, timestamped, formsOf({ kind: "pairs", timestamp: "t" }, {})],
  [
    /is part of the signature's header/,
    timestamped,
    each("headers", { signature: "S", timestamp: "T" }),
  ],
  [/"signed" must be a list/, base, [{ signed: "id" }]],
  [/list of id, timestamp and body/, base, [{ signed: ["id", "nonce", "body"] }]],
  [/no part twice/, base, [{ signed: ["id", "timestamp", "body", "id"] }]],
  // Genuine for every body: the form of a sender who signs a time, a nonce and an id.
  [/must contain the body/, base, [{ signed: ["id", "timestamp"], separator: "|" }]],
  [/an id must be both/, base, [{ signed: ["timestamp", "body"] }]],
  [/an id must be both/, unseparated, [{ signed: ["id", "timestamp", "body"], separator: "." }]],
  [/a timestamp must be both/, unseparated, [{ signed: ["body"] }]],
  [/a timestamp must be both/, body, [{ signed: ["timestamp", "body"] }]],
  [/a timestamp must be both/, timestamped, [{ signed: ["body"] }]],
  [/"separator"/, base, each("separator", "", 1, ".....", "·")],
  [/"minSecretBytes"/, base, each("minSecretBytes", 0)],
  [/"toleranceSeconds"/, base, each("toleranceSeconds", Number.NaN, -1)],
  [/needs a signed timestamp/, body, each("toleranceSeconds", 300)],
];

describe("a description is refused", () => {
  it.each(mistakes)(
    "with an error that matches %s for a change of $1.name",
    (message, preset, changes) => {
      for (const change of changes) {
        const error = thrownBy(make({ ...preset, ...change }));
        expect(error).toBeInstanceOf(TypeError);
        expect(String(error).slice("TypeError: ".length)).toMatch(message);
      }
    },
  );

  it("without one of its members, and if it is not an object", () => {
    for (const name of ["name", "algorithm", "encoding", "headers", "form", "signed", "separator"])
      expect(make({ ...base, [name]: undefined })).toThrow(`"${name}"`);
    for (const description of [undefined, null, [base], "x-signature"])
      expect(make(description)).toThrow(/must be an object/);
  });

  it("with a separator that an id or a timestamp could contain", () => {
    const ascii = Array.from({ length: 128 }, (_, unit) => String.fromCharCode(unit));
    const accepted = ascii.filter((character) => !isRefused(character)).join("");

    expect(accepted).toBe("\n !\"#$%&'()*+,./:;<=>?@[\\]^`{|}~");
    expect(isRefused(".a")).toBe(true);
  });
});

describe("a description is accepted", () => {
  it("at each bound of its members", () => {
    const token = "!#$%&'*+.^_`|~09AZaz-";
    for (const bound of [
      ...each("name", "x".repeat(64)),
      ...each("algorithm", "sha384"),
      ...each("encoding", "hex"),
      ...each("headers", { signature: "s".repeat(64), timestamp: "T", id: token }),
      ...formsOf(single, { prefix: "x".repeat(32) }),
      ...formsOf(list, {}, { prefix: "v1,", separator: " " }),
      ...each("separator", "./|:"),
      ...each("toleranceSeconds", 0, Number.MAX_SAFE_INTEGER),
      ...each("minSecretBytes", 1, 64),
    ])
      expect(make({ ...base, ...bound })).not.toThrow();
    const names = { kind: "pairs", timestamp: "t".repeat(32), signature: "V_1" };
    expect(make({ ...timestamped, form: names })).not.toThrow();
  });
});
