import { describe, expect, it } from "vitest";
import {
  bodyHmac,
  describedHmac,
  type HmacDescription,
  hmacPresets,
  timestampedHmac,
  xSignature,
} from "../src/index.ts";
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

/** Mistakes, each a change of a preset, by the message that names them. */
const mistakes: readonly (readonly [RegExp, HmacDescription, readonly object[]])[] = [
  [/^the description has an unknown member "toleranceSecond"/, base, [{ toleranceSecond: 300 }]],
  [/"name"/, base, [{ name: "" }, { name: "x".repeat(65) }, { name: "X Signature" }]],
  [
    /"algorithm"/,
    base,
    ["sha1", "md5", "toString", ["sha256"]].map((algorithm) => ({ algorithm })),
  ],
  [/"encoding"/, base, [{ encoding: "base64url" }]],
  [
    /"headers"/,
    base,
    [{ headers: [] }, { headers: null }, { headers: { id: "I", timestamp: "T" } }],
  ],
  [/^"headers" has .*"nonce"/, base, [{ headers: { ...base.headers, nonce: "N" } }]],
  [
    /token/,
    base,
    [1, "", "I:\r\n", "x".repeat(65)].map((id) => ({ headers: { ...base.headers, id } })),
  ],
  [/different headers/, base, [{ headers: { ...base.headers, id: "x-SIGNATURE" } }]],
  [/"form"/, base, [{ form: [] }]],
  [/single, list or pairs/, base, [{ form: { kind: "jwt" } }]],
  [
    /^"form" has an unknown member "x"/,
    base,
    [single, list].map((form) => ({ form: { ...form, x: 1 } })),
  ],
  [/^"form" has an unknown member "x"/, timestamped, [{ form: { ...pairs, x: 1 } }]],
  [
    /"prefix"/,
    base,
    [
      { form: { kind: "single" } },
      { form: { ...single, prefix: " " } },
      { form: { ...single, prefix: "x".repeat(33) } },
      { form: { kind: "list", separator: "," } },
    ],
  ],
  [/separator of a list/, base, [{ form: { ...list, separator: ";" } }]],
  [/must not contain the separator/, base, [{ form: { ...list, prefix: "v1," } }]],
  [/different names/, timestamped, [{ form: { ...pairs, signature: "t" } }]],
  [
    /pair's name/,
    timestamped,
    [
      { form: { kind: "pairs", timestamp: "t" } },
      { form: { ...pairs, timestamp: "t=" } },
      { form: { ...pairs, signature: "v".repeat(33) } },
    ],
  ],
  [
    /is part of the signature's header/,
    timestamped,
    [{ headers: { signature: "S", timestamp: "T" } }],
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
  [/"separator"/, base, ["", 1, ".....", "·"].map((separator) => ({ separator }))],
  [/"minSecretBytes"/, base, [{ minSecretBytes: 0 }]],
  [/"toleranceSeconds"/, base, [{ toleranceSeconds: Number.NaN }, { toleranceSeconds: -1 }]],
  [/needs a signed timestamp/, body, [{ toleranceSeconds: 300 }]],
];

describe("a description is refused", () => {
  it.each(mistakes)(
    "with an error that matches %s for a change of $1.name",
    (message, preset, changes) => {
      for (const change of changes) {
        expect(make({ ...preset, ...change })).toThrow(TypeError);
        expect(make({ ...preset, ...change })).toThrow(message);
      }
    },
  );

  it.each(["name", "algorithm", "encoding", "headers", "form", "signed", "separator"])(
    "without the member %s",
    (name) => {
      const rest = Object.entries(base).filter(([key]) => key !== name);
      expect(make(Object.fromEntries(rest))).toThrow(`"${name}"`);
    },
  );

  it.each([undefined, null, [base], "x-signature"])(
    "if it is %j instead of an object",
    (description) => {
      expect(make(description)).toThrow(/must be an object/);
    },
  );

  it("with a separator that an id or a timestamp could contain", () => {
    const ascii = Array.from({ length: 128 }, (_, unit) => String.fromCharCode(unit));
    const accepted = ascii.filter((character) => !isRefused(character)).join("");

    expect(accepted).toBe("\n !\"#$%&'()*+,./:;<=>?@[\\]^`{|}~");
    expect(isRefused(".a")).toBe(true);
  });

  it("if a preset's option is out of its bounds", () => {
    expect(() => bodyHmac({ header: "" })).toThrow(TypeError);
    expect(() => bodyHmac({ header: "X", prefix: "\n" })).toThrow(TypeError);
    expect(() => timestampedHmac({ header: "X", timestampName: "" })).toThrow(TypeError);
    expect(() => timestampedHmac({ header: "X", toleranceSeconds: Infinity })).toThrow(TypeError);
    expect(() => xSignature({ toleranceSeconds: 0.5 })).toThrow(TypeError);
  });
});

describe("a description is accepted", () => {
  it("at each bound of its members", () => {
    const bounds: Partial<HmacDescription>[] = [
      { name: "x".repeat(64) },
      { algorithm: "sha384" },
      { encoding: "hex" },
      { headers: { signature: "s".repeat(64), timestamp: "T", id: "!#$%&'*+.^_`|~09AZaz-" } },
      { form: { kind: "single", prefix: "x".repeat(32) } },
      { form: { kind: "list", prefix: "", separator: "," } },
      { form: { kind: "list", prefix: "v1,", separator: " " } },
      { separator: "./|:" },
      { toleranceSeconds: 0 },
      { toleranceSeconds: Number.MAX_SAFE_INTEGER },
      { minSecretBytes: 1 },
      { minSecretBytes: 64 },
    ];

    for (const bound of bounds) expect(make({ ...base, ...bound })).not.toThrow();
    expect(
      make({
        ...timestamped,
        form: { kind: "pairs", timestamp: "t".repeat(32), signature: "V_1" },
      }),
    ).not.toThrow();
  });
});
