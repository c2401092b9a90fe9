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
const form = (value: object) => ({ form: value });
const without = (name: string) =>
  Object.fromEntries(Object.entries(base).filter(([key]) => key !== name));

function make(description: unknown) {
  return () => describedHmac(description as HmacDescription);
}

function isRefused(separator: string): boolean {
  return thrownBy(() => describedHmac({ ...base, separator })) !== undefined;
}

describe("a description is refused", () => {
  it.each([
    ["that is nothing", undefined, /must be an object/],
    ["that is null", null, /must be an object/],
    ["that is a list", [base], /must be an object/],
    ["that is text", "x-signature", /must be an object/],
    ["without a name", without("name"), /"name"/],
    ["without an algorithm", without("algorithm"), /"algorithm"/],
    ["without an encoding", without("encoding"), /"encoding"/],
    ["without headers", without("headers"), /"headers"/],
    ["without a form", without("form"), /"form"/],
    ["without a signed text", without("signed"), /"signed"/],
    ["without a separator", without("separator"), /"separator"/],
    [
      "with an unknown member",
      { ...base, toleranceSecond: 300 },
      /^the description has an unknown member "toleranceSecond"/,
    ],
    ["with an empty name", { ...base, name: "" }, /"name"/],
    ["with a name of 65 characters", { ...base, name: "x".repeat(65) }, /"name"/],
    ["with another name", { ...base, name: "X Signature" }, /"name"/],
    ["with SHA-1", { ...base, algorithm: "sha1" }, /"algorithm"/],
    ["with MD5", { ...base, algorithm: "md5" }, /"algorithm"/],
    ["with an inherited algorithm", { ...base, algorithm: "toString" }, /"algorithm"/],
    ["with no text as algorithm", { ...base, algorithm: ["sha256"] }, /"algorithm"/],
    ["with the URL's base64", { ...base, encoding: "base64url" }, /"encoding"/],
    ["with no headers", { ...base, headers: [] }, /"headers"/],
    ["with headers of nothing", { ...base, headers: null }, /"headers"/],
    ["with no signature header", { ...base, headers: { id: "I", timestamp: "T" } }, /"headers"/],
    [
      "with another header",
      { ...base, headers: { ...base.headers, nonce: "N" } },
      /^"headers" has .*"nonce"/,
    ],
    ["with a header of no text", { ...base, headers: { ...base.headers, id: 1 } }, /token/],
    ["with a header of no name", { ...base, headers: { ...base.headers, id: "" } }, /token/],
    ["with a header that breaks", { ...base, headers: { ...base.headers, id: "I:\r\n" } }, /token/],
    [
      "with a header of 65 characters",
      { ...base, headers: { ...base.headers, id: "x".repeat(65) } },
      /token/,
    ],
    [
      "with one header for two",
      { ...base, headers: { ...base.headers, id: "x-SIGNATURE" } },
      /different headers/,
    ],
    ["with no form", { ...base, ...form([]) }, /"form"/],
    ["with another form", { ...base, ...form({ kind: "jwt" }) }, /single, list or pairs/],
    [
      "with a form of too much",
      { ...base, ...form({ kind: "single", prefix: "", x: 1 }) },
      /^"form" has an unknown member "x"/,
    ],
    ["without a prefix", { ...base, ...form({ kind: "single" }) }, /"prefix"/],
    ["with a prefix of a space", { ...base, ...form({ kind: "single", prefix: " " }) }, /"prefix"/],
    [
      "with a prefix of 33 characters",
      { ...base, ...form({ kind: "single", prefix: "x".repeat(33) }) },
      /"prefix"/,
    ],
    [
      "with a list of too much",
      { ...base, ...form({ kind: "list", prefix: "", separator: ",", x: 1 }) },
      /^"form" has an unknown member "x"/,
    ],
    [
      "with a list without a prefix",
      { ...base, ...form({ kind: "list", separator: "," }) },
      /"prefix"/,
    ],
    [
      "with a list of another separator",
      { ...base, ...form({ kind: "list", prefix: "", separator: ";" }) },
      /separator of a list/,
    ],
    [
      "with a list whose prefix is split",
      { ...base, ...form({ kind: "list", prefix: "v1,", separator: "," }) },
      /must not contain the separator/,
    ],
    [
      "with pairs of too much",
      { ...timestamped, ...form({ kind: "pairs", timestamp: "t", signature: "v1", x: 1 }) },
      /^"form" has an unknown member "x"/,
    ],
    [
      "with pairs of one name",
      { ...timestamped, ...form({ kind: "pairs", timestamp: "t", signature: "t" }) },
      /different names/,
    ],
    [
      "with pairs without the signature's name",
      { ...timestamped, ...form({ kind: "pairs", timestamp: "t" }) },
      /pair's name/,
    ],
    [
      "with pairs of a garbled timestamp's name",
      { ...timestamped, ...form({ kind: "pairs", timestamp: "t=", signature: "v1" }) },
      /pair's name/,
    ],
    [
      "with pairs of a name of 33 characters",
      { ...timestamped, ...form({ kind: "pairs", timestamp: "t", signature: "v".repeat(33) }) },
      /pair's name/,
    ],
    [
      "with pairs beside a timestamp's header",
      { ...timestamped, headers: { signature: "S", timestamp: "T" } },
      /is part of the signature's header/,
    ],
    ["with no list of parts", { ...base, signed: "id" }, /"signed" must be a list/],
    [
      "with an unknown part",
      { ...base, signed: ["id", "nonce", "body"] },
      /list of id, timestamp and body/,
    ],
    ["with a part twice", { ...base, signed: ["id", "timestamp", "body", "id"] }, /no part twice/],
    // Genuine for every body: the form of a sender who signs a time, a nonce and an id.
    [
      "that leaves the body out",
      { ...base, signed: ["id", "timestamp"], separator: "|" },
      /must contain the body/,
    ],
    ["that sends an id unsigned", { ...base, signed: ["timestamp", "body"] }, /an id must be both/],
    [
      "that signs an id unsent",
      { ...unseparated, signed: ["id", "timestamp", "body"], separator: "." },
      /an id must be both/,
    ],
    [
      "that sends a timestamp unsigned",
      { ...unseparated, signed: ["body"] },
      /a timestamp must be both/,
    ],
    [
      "that signs a timestamp unsent",
      { ...body, signed: ["timestamp", "body"] },
      /a timestamp must be both/,
    ],
    [
      "that sends a pair's timestamp unsigned",
      { ...timestamped, signed: ["body"] },
      /a timestamp must be both/,
    ],
    ["that splits an id nowhere", { ...base, separator: "" }, /"separator"/],
    ["with a separator of no text", { ...base, separator: 1 }, /"separator"/],
    ["with a separator of 5 characters", { ...base, separator: "....." }, /"separator"/],
    ["with a separator beyond ASCII", { ...base, separator: "·" }, /"separator"/],
    ["with a minimum of no bytes", { ...base, minSecretBytes: 0 }, /"minSecretBytes"/],
    ["with a tolerance of NaN", { ...base, toleranceSeconds: Number.NaN }, /"toleranceSeconds"/],
    ["with a tolerance below 0", { ...base, toleranceSeconds: -1 }, /"toleranceSeconds"/],
    ["with a tolerance of no time", { ...body, toleranceSeconds: 300 }, /needs a signed timestamp/],
  ])("%s", (_, description, message) => {
    expect(make(description)).toThrow(TypeError);
    expect(make(description)).toThrow(message);
  });

  it("with a separator that an id, a timestamp or its own neighbour could hold", () => {
    const ascii = Array.from({ length: 128 }, (_, unit) => String.fromCharCode(unit));
    const accepted = ascii.filter((character) => !isRefused(character)).join("");

    expect(accepted).toBe("\n !\"#$%&'()*+,./:;<=>?@[\\]^`{|}~");
    expect(isRefused(".a")).toBe(true);
  });

  it("where a preset's option is out of its bounds", () => {
    expect(() => bodyHmac({ header: "" })).toThrow(TypeError);
    expect(() => bodyHmac({ header: "X", prefix: "\n" })).toThrow(TypeError);
    expect(() => timestampedHmac({ header: "X", timestampName: "" })).toThrow(TypeError);
    expect(() => timestampedHmac({ header: "X", toleranceSeconds: Infinity })).toThrow(TypeError);
    expect(() => xSignature({ toleranceSeconds: 0.5 })).toThrow(TypeError);
  });
});

describe("a description is accepted", () => {
  it.each(Object.entries(hmacPresets))("as the preset %s", (_, preset) => {
    expect(make(preset)).not.toThrow();
  });

  it("at each bound", () => {
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
