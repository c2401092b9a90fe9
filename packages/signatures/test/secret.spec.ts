import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bodyHmac,
  hmacPresets,
  describedHmac,
  sealed,
  type Secret,
  type SecretUse,
  type SignatureScheme,
  standardWebhooks,
  timestampedHmac,
  xSignature,
} from "../src/index.ts";
import { messageOf, now, PUBLIC_KEY, SECRET, signed, TEXT_SECRET, thrownBy } from "./attempts.ts";

const base64 = (length: number) => Buffer.alloc(length, 0x5a).toString("base64");
const whsec = (length: number) => `whsec_${base64(length)}`;
const whpk = (bytes: Uint8Array) => `whpk_${Buffer.from(bytes).toString("base64")}`;
const whsk = (bytes: Uint8Array) => `whsk_${Buffer.from(bytes).toString("base64")}`;

const schemes: readonly SignatureScheme[] = [
  standardWebhooks(),
  xSignature(),
  timestampedHmac({ header: "X-Signature" }),
  bodyHmac({ header: "X-Signature" }),
  describedHmac(hmacPresets.unseparated),
];

/** The three places where a bad secret shows, each with what it throws. */
function refusals(scheme: SignatureScheme, secrets: unknown, use: SecretUse) {
  const list = secrets as readonly Secret[];
  const attempt = { headers: {}, body: new Uint8Array() };
  return [
    thrownBy(() => scheme.check(list, use)),
    thrownBy(() =>
      use === "sign" ? scheme.sign(messageOf(), list) : scheme.verify(attempt, list, { now }),
    ),
  ];
}

const seed = Buffer.alloc(32, 7);
const bad: readonly [string, unknown, RegExp][] = [
  ["nothing", undefined, /neither text nor/],
  ["null", null, /neither text nor/],
  ["a number", 42, /neither text nor/],
  ["an object", {}, /neither text nor/],
  ["a raw number", { raw: 42 }, /neither text nor/],
  ["a raw list", { raw: [1, 2, 3] }, /neither text nor/],
  ["empty text", "", /is empty/],
  ["an empty raw text", { raw: "" }, /is empty/],
  ["empty raw bytes", { raw: new Uint8Array() }, /is empty/],
  ["raw: alone", "raw:", /is empty/],
  ["whsec_ alone", "whsec_", /is empty/],
  ["a word", "secret", /no known prefix .*raw:/],
  ["base64 without a prefix", base64(24), /no known prefix/],
  ["an upper-case prefix", `WHSEC_${base64(24)}`, /no known prefix/],
  ["a transposed prefix", `hwsec_${base64(24)}`, /no known prefix/],
  ["a new prefix", `whsk1_${base64(32)}`, /no known prefix/],
  ["a byte order mark before it", `\uFEFF${whsec(24)}`, /no known prefix/],
  ["a space before it", ` ${whsec(24)}`, /no known prefix/],
  ["a quote before it", `"${whsec(24)}"`, /no known prefix/],
  ["a line break after it", `${whsec(24)}\n`, /not canonical base64/],
  ["a space after it", `${whsec(24)} `, /not canonical base64/],
  ["a space inside", `whsec_${base64(24).slice(0, 8)} ${base64(24).slice(8)}`, /not canonical/],
  ["no base64 at all", "whsec_!!!", /not canonical base64/],
  ["the URL's alphabet", `whsec_${base64(24).slice(4)}_-_-`, /not canonical base64/],
  ["missing padding", whsec(25).replaceAll("=", ""), /not canonical base64/],
  ["too much padding", `${whsec(24)}====`, /not canonical base64/],
  ["unused bits that are set", `${whsec(25).slice(0, -3)}x==`, /not canonical base64/],
  ["23 bytes", whsec(23), /too short: a key needs at least 24/],
  ["65 bytes", whsec(65), /too long: a key has at most 64/],
  ["23 raw bytes", { raw: new Uint8Array(23) }, /too short/],
  ["23 raw characters", `raw:${"x".repeat(23)}`, /too short/],
  ["1,025 raw bytes", { raw: new Uint8Array(1025) }, /too long: a key has at most 1024/],
  ["a raw text that ends with a line break", { raw: `${"x".repeat(24)}\n` }, /printable ASCII/],
  ["a raw text with a space", `raw:${"x".repeat(24)} `, /printable ASCII/],
  ["a raw text with a byte order mark", { raw: `\uFEFF${"x".repeat(24)}` }, /printable ASCII/],
  ["a raw text that is not ASCII", { raw: "é".repeat(24) }, /printable ASCII/],
  ["a raw text with a control", { raw: `${"x".repeat(24)}\u007f` }, /printable ASCII/],
];

describe("a secret of Standard Webhooks", () => {
  it.each(bad)("is refused as %s, at start-up and in every call", (_, secret, message) => {
    for (const use of ["sign", "verify"] as const) {
      for (const error of refusals(standardWebhooks(), [secret], use)) {
        expect(error).toBeInstanceOf(TypeError);
        expect(String(error)).toMatch(message);
        expect(String(error)).toContain("secrets[0] ");
      }
    }
  });

  it.each([
    ["31 bytes", whpk(seed.subarray(1)), /needs 32 bytes, or 44 as SPKI/],
    ["33 bytes", whpk(Buffer.alloc(33)), /needs 32 bytes/],
    ["no base64", "whpk_!!!", /not canonical base64 after whpk_/],
    ["another structure", whpk(Buffer.alloc(44, 1)), /its DER describes something else/],
  ])("is refused as a public key of %s", (_, secret, message) => {
    for (const error of refusals(standardWebhooks(), [secret], "verify")) {
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toMatch(message);
    }
  });

  it.each([
    ["31 bytes", whsk(seed.subarray(1)), /needs 32 bytes \(seed\), 64/],
    ["no base64", "whsk_!!!", /not canonical base64 after whsk_/],
    ["another structure", whsk(Buffer.alloc(48, 1)), /its DER describes something else/],
    ["a foreign public half", whsk(Buffer.alloc(64, 7)), /public half is not the seed's/],
  ])("is refused as a private key of %s", (_, secret, message) => {
    for (const error of refusals(standardWebhooks(), [secret], "sign")) {
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toMatch(message);
    }
  });

  it("may have 24 to 64 bytes, and 24 to 1,024 where it is raw", () => {
    const good: Secret[][] = [
      [whsec(24)],
      [whsec(64)],
      [{ raw: new Uint8Array(24) }],
      [{ raw: new Uint8Array(1024) }],
      [`raw:${"~".repeat(24)}`],
      [{ raw: "!".repeat(1024) }],
    ];

    for (const secrets of good) {
      expect(refusals(standardWebhooks(), secrets, "verify")).toEqual([undefined, undefined]);
      expect(refusals(standardWebhooks(), secrets, "sign")).toEqual([undefined, undefined]);
    }
  });

  it("may be shorter only where the scheme was told so", () => {
    const lenient = standardWebhooks({ minSecretBytes: 1 });

    expect(refusals(lenient, [whsec(1), "raw:x"], "verify")).toEqual([undefined, undefined]);
    expect(thrownBy(() => lenient.check(["raw:"], "sign"))).toBeInstanceOf(TypeError);
    expect(() => standardWebhooks({ minSecretBytes: 64 }).check([whsec(63)], "sign")).toThrow(
      /at least 64/,
    );
  });

  it.each([0, -1, 65, 1.5, Number.NaN, Infinity, "24" as unknown as number])(
    "has no minimum of %s bytes",
    (minSecretBytes) => {
      expect(() => standardWebhooks({ minSecretBytes })).toThrow(TypeError);
      expect(() => xSignature({ minSecretBytes })).toThrow(TypeError);
    },
  );
});

describe("a secret of the other schemes", () => {
  it.each(schemes.slice(1))("is its text as it stands in $name", (scheme) => {
    for (const text of [SECRET, PUBLIC_KEY, `raw:${TEXT_SECRET}`, TEXT_SECRET]) {
      const attempt = signed(scheme, [text]);

      expect(scheme.verify(attempt, [{ raw: Buffer.from(text) }], { now })).toMatchObject({
        ok: true,
      });
      expect(scheme.verify(attempt, [{ raw: text }], { now })).toMatchObject({ ok: true });
    }
  });

  it.each(schemes.slice(1))("has 24 to 1,024 printable characters in $name", (scheme) => {
    const refused = ["", "x".repeat(23), "x".repeat(1025), `${TEXT_SECRET}\n`, undefined, {}];

    for (const secret of refused) {
      for (const error of refusals(scheme, [secret], "verify")) {
        expect(error).toBeInstanceOf(TypeError);
        expect(String(error)).toContain("secrets[0] ");
      }
    }
    expect(refusals(scheme, ["x".repeat(24)], "sign")).toEqual([undefined, undefined]);
    expect(refusals(scheme, ["x".repeat(1024)], "sign")).toEqual([undefined, undefined]);
  });

  it("means another key than the same text in Standard Webhooks", () => {
    const [standard, other] = [standardWebhooks(), timestampedHmac({ header: "X-Signature" })];
    const message = messageOf();
    const text = `${message.timestamp}.`;
    const same = describedHmac({ ...hmacPresets.timestamped, encoding: "base64" });

    const whole = same.sign(message, [SECRET])["X-Signature"];
    const decoded = same.sign(message, [
      { raw: Buffer.from(SECRET.slice("whsec_".length), "base64") },
    ])["X-Signature"];

    expect(text).toHaveLength(11);
    expect(whole).not.toBe(decoded);
    expect(signed(standard, [SECRET]).headers).not.toEqual(signed(other, [SECRET]).headers);
  });
});

describe("a list of secrets", () => {
  it.each(schemes)("holds 1 to 4 of them in $name", (scheme) => {
    const many = Array.from({ length: 5 }, (): Secret => ({ raw: TEXT_SECRET }));
    const withEmpty = [...many.slice(0, 1), ""];

    for (const list of [undefined, null, {}, TEXT_SECRET, [], many, withEmpty]) {
      for (const error of refusals(scheme, list, "verify")) expect(error).toBeInstanceOf(TypeError);
    }
    expect(refusals(scheme, many.slice(1), "verify")).toEqual([undefined, undefined]);
  });

  it("says what is wrong with it", () => {
    const check = (list: unknown) => () => standardWebhooks().check(list as Secret[], "verify");

    expect(check(SECRET)).toThrow('"secrets" must be a list of secrets');
    expect(check([])).toThrow('"secrets" must hold at least one secret');
    expect(check(Array(5).fill(SECRET))).toThrow('"secrets" must hold at most 4 secrets');
  });

  it("names the secret at fault by its place", () => {
    expect(() => standardWebhooks().check([SECRET, "", SECRET], "verify")).toThrow(
      /^secrets\[1\] is empty/,
    );
  });

  it("with a hole is a mistake of the caller", () => {
    const hole: Secret[] = [SECRET];
    hole.length = 2;

    expect(() => standardWebhooks().check(hole, "verify")).toThrow(/^secrets\[1\] /);
  });
});

describe("a secret never shows", () => {
  // Twelve characters of a canary in a row, in the clear or in base64, would be a leak.
  const canary = "CANARY0123456789abcdef";
  const leaks = (text: string) => {
    const written = [
      canary,
      Buffer.from(canary).toString("base64"),
      Buffer.from(canary).toString("hex"),
    ];
    return written.some((form) =>
      Array.from({ length: form.length - 11 }, (_, at) => form.slice(at, at + 12)).some((part) =>
        text.includes(part),
      ),
    );
  };

  it("in an error of any scheme", () => {
    const around = fc.constantFrom("", "whsec_", "whsk_", "whpk_", "raw:", "\uFEFF", "wh", '"');
    const after = fc.constantFrom("", "\n", " ", "=", "==", "é", '"');
    const encoded = fc.constantFrom(canary, Buffer.from(canary).toString("base64"));
    const raw = fc.boolean();

    fc.assert(
      fc.property(around, encoded, after, raw, (before, text, end, isRaw) => {
        const secret = `${before}${text}${end}`;
        for (const scheme of schemes) {
          for (const use of ["sign", "verify"] as const) {
            for (const error of refusals(scheme, [isRaw ? { raw: secret } : secret], use)) {
              const shown = error === undefined ? "" : inspect(error, { showHidden: true });
              expect(leaks(shown)).toBe(false);
            }
          }
        }
      }),
    );
    expect(leaks(`…${canary.slice(3, 17)}…`)).toBe(true);
  });

  it("in a scheme that has used it", () => {
    for (const scheme of schemes) {
      const secret = { raw: canary + canary };
      scheme.verify(signed(scheme, [secret]), [secret], { now });

      expect(leaks(inspect(scheme, { depth: 10, showHidden: true }))).toBe(false);
      expect(leaks(JSON.stringify(scheme))).toBe(false);
    }
  });

  it("where it is sealed", () => {
    for (const secret of [sealed(`raw:${canary + canary}`), sealed({ raw: canary + canary })]) {
      const config = { secrets: [secret] };

      expect(inspect(config, { depth: 10, showHidden: true })).toContain("[secret]");
      expect(leaks(inspect(config, { depth: 10, showHidden: true }))).toBe(false);
      expect(JSON.stringify(config)).toBe('{"secrets":["[secret]"]}');
      expect(String(secret)).toBe("[secret]");
      expect(Object.keys(secret)).toEqual([]);
    }
  });

  it("and a sealed one signs and verifies like the plain one", () => {
    const scheme = standardWebhooks();
    const attempt = signed(scheme, [sealed(SECRET)]);

    expect(attempt).toEqual(signed(scheme, [SECRET]));
    expect(scheme.verify(attempt, [sealed(SECRET)], { now })).toMatchObject({ ok: true });
    expect(() => scheme.check([sealed("whsec_")], "sign")).toThrow(/^secrets\[0\] is empty/);
  });
});
