import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bodyHmac,
  describedHmac,
  hmacPresets,
  sealed,
  type Secret,
  type SecretUse,
  type SignatureScheme,
  standardWebhooks,
  timestampedHmac,
  xSignature,
} from "../src/index.ts";
import {
  messageOf,
  now,
  PRIVATE_KEY,
  PUBLIC_KEY,
  SECRET,
  signed,
  TEXT_SECRET,
  thrownBy,
} from "./attempts.ts";

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

/** Both calls that report a bad secret, each with the error it throws. */
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

const raw = "x".repeat(24);
/** Mistakes in a secret's text, which every scheme names. */
const badTexts: readonly [string, unknown, RegExp][] = [
  ["nothing", undefined, /is missing: is its environment variable set/],
  ["null", null, /is missing/],
  ["an object", {}, /is missing/],
  ["a number", { raw: 42 }, /expected text, or \{ raw \}/],
  ["empty text", "", /is empty/],
  ["a newline only", "\n", /is empty/],
  ["empty bytes", { raw: new Uint8Array() }, /is empty/],
  ["two newlines at its end", `${raw}\n\n`, /contains a line break \(character 25\)/],
  ["a space before it", ` ${raw}`, /contains a space \(character 1\)/],
  ["a space after it", `${raw} `, /contains a space \(character 25\)/],
  ["a tab inside", `${raw}\t${raw}`, /contains a tab \(character 25\)/],
  ["a carriage return", `${raw}\r`, /contains a carriage return/],
  ["a non-breaking space", `${raw}\u00a0`, /contains a non-breaking space/],
  ["a byte order mark", `\uFEFF${raw}`, /contains a byte order mark \(character 1\)/],
  ["letters beyond ASCII", { raw: "é".repeat(24) }, /not printable ASCII .*as bytes/],
  ["a control character", `${raw}\u007f`, /not printable ASCII/],
  ["double quotes", `"${raw}"`, /is in quotes \("\): remove them/],
  ["single quotes", `'${raw}'\n`, /is in quotes \('\)/],
  ["a quote at its end", `${raw}\``, /is in quotes \(`\)/],
  ["23 bytes", { raw: new Uint8Array(23) }, /too short: a key needs at least 24/],
  ["23 characters", "x".repeat(23), /too short/],
  ["1,025 bytes", { raw: new Uint8Array(1025) }, /too long: a key has at most 1024/],
];

const seed = Buffer.alloc(32, 7);
/** Mistakes in the prefixed forms of Standard Webhooks. */
const badKeys: readonly [string, unknown, RegExp][] = [
  ["raw: only", "raw:", /is empty/],
  ["raw: with quotes", `raw:"${raw}"`, /is in quotes/],
  ["raw: and 23 characters", `raw:${"x".repeat(23)}`, /too short/],
  ["whsec_ only", "whsec_", /is empty/],
  ["whsec_ without base64", "whsec_!!!", /not canonical base64 after whsec_/],
  ["whsec_ in the URL alphabet", `whsec_${base64(24).slice(4)}_-_-`, /not canonical base64/],
  ["whsec_ without padding", whsec(25).replaceAll("=", ""), /not canonical base64/],
  ["whsec_ with too much padding", `${whsec(24)}====`, /not canonical base64/],
  ["whsec_ with unused bits set", `${whsec(25).slice(0, -3)}x==`, /not canonical base64/],
  ["whsec_ of 23 bytes", whsec(23), /too short/],
  ["whsec_ of 65 bytes", whsec(65), /too long: a key has at most 64/],
];
const badPublicKeys: typeof badKeys = [
  ["31 bytes", whpk(seed.subarray(1)), /expected 32 bytes, or 44 as SPKI/],
  ["33 bytes", whpk(Buffer.alloc(33)), /expected 32 bytes/],
  ["text that is not base64", "whpk_!!!", /not canonical base64 after whpk_/],
  ["another structure", whpk(Buffer.alloc(44, 1)), /its DER describes something else/],
];
const badPrivateKeys: typeof badKeys = [
  ["31 bytes", whsk(seed.subarray(1)), /expected 32 bytes \(seed\), 64/],
  ["text that is not base64", "whsk_!!!", /not canonical base64 after whsk_/],
  ["another structure", whsk(Buffer.alloc(48, 1)), /its DER describes something else/],
  ["a foreign public half", whsk(Buffer.alloc(64, 7)), /public half does not belong to its seed/],
];

/** The messages of every scheme and call that must refuse a secret. */
function messages(
  secret: unknown,
  uses: readonly SecretUse[],
  refusing: readonly SignatureScheme[] = [standardWebhooks()],
): readonly string[] {
  return refusing.flatMap((scheme) =>
    uses.flatMap((use) =>
      refusals(scheme, [secret], use).map((error) =>
        error instanceof TypeError ? error.message : "not a TypeError",
      ),
    ),
  );
}

describe("a secret", () => {
  it.each(badTexts)("with %s is refused by every scheme", (_, secret, message) => {
    const found = messages(secret, ["sign", "verify"], schemes);

    expect(found.filter((text) => !message.test(text) || !text.includes("secrets[0]"))).toEqual([]);
  });

  it.each(badKeys)("of Standard Webhooks with %s is refused", (_, secret, message) => {
    expect(messages(secret, ["sign", "verify"]).filter((text) => !message.test(text))).toEqual([]);
  });

  it.each(badPublicKeys)("that is a public key of %s is refused", (_, secret, message) => {
    expect(messages(secret, ["verify"]).filter((text) => !message.test(text))).toEqual([]);
  });

  it.each(badPrivateKeys)("that is a private key of %s is refused", (_, secret, message) => {
    expect(messages(secret, ["sign"]).filter((text) => !message.test(text))).toEqual([]);
  });

  it("has 24 to 64 bytes as whsec_, and 24 to 1,024 otherwise", () => {
    const good: Secret[] = [
      whsec(24),
      whsec(64),
      { raw: new Uint8Array(24) },
      { raw: new Uint8Array(1024) },
      `raw:${"~".repeat(24)}`,
      "!".repeat(1024),
    ];
    for (const secret of good) {
      for (const use of ["sign", "verify"] as const) {
        expect(refusals(standardWebhooks(), [secret], use)).toEqual([undefined, undefined]);
        expect(refusals(xSignature(), [secret], use)).toEqual([undefined, undefined]);
      }
    }
  });

  it("may be shorter only if minSecretBytes, an integer from 1 to 64, allows it", () => {
    const lenient = standardWebhooks({ minSecretBytes: 1 });

    expect(refusals(lenient, [whsec(1), "raw:x"], "verify")).toEqual([undefined, undefined]);
    expect(thrownBy(() => lenient.check(["raw:"], "sign"))).toBeInstanceOf(TypeError);
    expect(() => standardWebhooks({ minSecretBytes: 64 }).check([whsec(63)], "sign")).toThrow(
      /at least 64/,
    );
    for (const minSecretBytes of [0, -1, 65, 1.5, Number.NaN, Infinity, "24" as never]) {
      expect(() => standardWebhooks({ minSecretBytes })).toThrow(TypeError);
      expect(() => xSignature({ minSecretBytes })).toThrow(TypeError);
    }
  });

  it("loses one final newline of its text in every scheme, and no byte otherwise", () => {
    for (const scheme of schemes) {
      const attempt = signed(scheme, [TEXT_SECRET]);
      const accepts = (secret: Secret) => scheme.verify(attempt, [secret], { now }).ok;

      expect(accepts(`${TEXT_SECRET}\n`)).toBe(true);
      expect(accepts(`${TEXT_SECRET}\r\n`)).toBe(true);
      expect(accepts({ raw: `${TEXT_SECRET}\n` })).toBe(true);
      expect(accepts({ raw: Buffer.from(TEXT_SECRET) })).toBe(true);
      expect(accepts({ raw: Buffer.from(`${TEXT_SECRET}\n`) })).toBe(false);
    }
    expect(signed(standardWebhooks(), [`${SECRET}\n`])).toEqual(
      signed(standardWebhooks(), [SECRET]),
    );
  });

  it("of Standard Webhooks without a known prefix is its text", () => {
    const scheme = standardWebhooks();
    for (const text of ["a-secret-of-your-own-choice", `WHSEC_${base64(24)}`, base64(24)]) {
      const attempt = signed(scheme, [text]);
      for (const same of [`raw:${text}`, { raw: text }, { raw: Buffer.from(text) }]) {
        expect(scheme.verify(attempt, [same], { now })).toMatchObject({ ok: true });
      }
    }
  });

  it("of every other scheme is its text, whatever its prefix", () => {
    for (const scheme of schemes.slice(1)) {
      for (const text of [SECRET, PUBLIC_KEY, `raw:${TEXT_SECRET}`]) {
        const attempt = signed(scheme, [text]);
        const bytes = [{ raw: Buffer.from(text) }];

        expect(scheme.verify(attempt, bytes, { now })).toMatchObject({ ok: true });
      }
    }
  });
});

describe("a checked secret", () => {
  const check = (secret: Secret, use: SecretUse = "verify") =>
    standardWebhooks().check([secret], use)[0];

  it("warns about text that is canonical base64, also behind a misspelt prefix", () => {
    for (const text of [base64(24), base64(32), `hwsec_${base64(24)}`, `WHSEC_${base64(32)}`]) {
      expect(check(text)?.warning).toMatch(/^secrets\[0\] is used as text but looks like base64/);
      expect(check(text, "sign")?.warning).toBeDefined();
    }
  });

  it("does not warn about other text, hexadecimal text, or a stated encoding", () => {
    const hex = Buffer.alloc(32, 0x5a).toString("hex");
    for (const text of [TEXT_SECRET, hex, whsec(24), `raw:${base64(24)}`, { raw: base64(24) }]) {
      expect(Object.keys(check(text) ?? {})).toEqual(["fingerprint"]);
      expect(check(text)?.fingerprint).toMatch(/^[0-9a-f]{12}$/);
    }
    expect(xSignature().check([base64(24)], "verify")[0]).not.toHaveProperty("warning");
  });

  it("has one fingerprint for every spelling of its key, and another for another key", () => {
    const bytes = Buffer.from(SECRET.slice("whsec_".length), "base64");
    const spellings = [SECRET, `${SECRET}\n`, sealed(SECRET), { raw: bytes }];
    const prints = new Set(spellings.map((secret) => check(secret)?.fingerprint));

    expect(prints.size).toBe(1);
    expect(prints).not.toContain(check(TEXT_SECRET)?.fingerprint);
    expect(check(PUBLIC_KEY)).toEqual(check(PRIVATE_KEY, "sign"));
  });
});

describe("a list of secrets", () => {
  it.each(schemes)("holds 1 to 4 secrets in $name", (scheme) => {
    const many = Array.from({ length: 5 }, (): Secret => ({ raw: TEXT_SECRET }));
    const withEmpty = [...many.slice(0, 1), ""];

    for (const list of [undefined, null, {}, TEXT_SECRET, [], many, withEmpty]) {
      for (const error of refusals(scheme, list, "verify")) expect(error).toBeInstanceOf(TypeError);
    }
    expect(refusals(scheme, many.slice(1), "verify")).toEqual([undefined, undefined]);
  });

  it("reports its own mistakes and the place of a bad secret, also a hole", () => {
    const check = (list: unknown) => () => standardWebhooks().check(list as Secret[], "verify");
    const hole: Secret[] = [SECRET];
    hole.length = 2;

    expect(check(SECRET)).toThrow('invalid "secrets": expected a list');
    expect(check([])).toThrow('missing secret: "secrets" is empty');
    expect(check(Array(5).fill(SECRET))).toThrow('invalid "secrets": expected at most 4 secrets');
    expect(check([SECRET, "", SECRET])).toThrow(/^secrets\[1\] is empty/);
    expect(check(hole)).toThrow(/^secrets\[1\] is missing/);
  });

  it("can be changed by its owner while it is in use", () => {
    const scheme = standardWebhooks();
    const list: Secret[] = [TEXT_SECRET];
    const attempt = signed(scheme, [SECRET]);
    const judge = () => scheme.verify(attempt, list, { now });

    expect(judge()).toMatchObject({ ok: false });
    list[0] = SECRET;
    expect(judge()).toMatchObject({ ok: true, secretIndex: 0 });
    list.unshift(TEXT_SECRET);
    expect(judge()).toMatchObject({ ok: true, secretIndex: 1 });
    list.length = 0;
    expect(judge).toThrow(/"secrets" is empty/);
  });

  it("of one scheme is judged anew by another", () => {
    const short = [{ raw: "short" }];
    standardWebhooks({ minSecretBytes: 1 }).check(short, "verify");

    expect(() => standardWebhooks().check(short, "verify")).toThrow(TypeError);
  });

  it("can belong to each of thousands of tenants", () => {
    const scheme = standardWebhooks();
    const tenants = Array.from({ length: 1000 }, (_, index) => ({ raw: `${raw}${index}` }));

    for (const [index, secret] of tenants.entries()) {
      const attempt = signed(scheme, [secret]);
      expect(scheme.verify(attempt, [{ ...secret }], { now }).ok).toBe(true);
      const neighbour = tenants[(index + 1) % tenants.length] ?? secret;
      expect(scheme.verify(attempt, [neighbour], { now }).ok).toBe(false);
    }
  });
});

describe("a secret never shows", () => {
  // Twelve characters of a canary in a row, in the clear or encoded, would be a leak.
  const canary = "CANARY0123456789abcdef";
  const leaks = (text: string) =>
    (["utf8", "base64", "hex"] as const)
      .map((encoding) => Buffer.from(canary).toString(encoding))
      .some((form) =>
        Array.from({ length: form.length - 11 }, (_, at) => form.slice(at, at + 12)).some((part) =>
          text.includes(part),
        ),
      );

  it("in an error of any scheme", () => {
    const around = fc.constantFrom("", "whsec_", "whsk_", "whpk_", "raw:", "\uFEFF", "wh", '"');
    const after = fc.constantFrom("", "\n", " ", "=", "==", "é", '"');
    const encoded = fc.constantFrom(canary, Buffer.from(canary).toString("base64"));

    fc.assert(
      fc.property(around, encoded, after, fc.boolean(), (before, text, end, isRaw) => {
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

  it("in a scheme that has used it, nor in what it reports", () => {
    for (const scheme of schemes) {
      const secret = { raw: canary + canary };
      const refusal = scheme.verify(signed(scheme, [TEXT_SECRET]), [secret], { now });
      const shown = [scheme, refusal, scheme.check([secret], "verify")];

      expect(refusal).toMatchObject({ code: "CS_SIGNATURE_MISMATCH" });
      expect(leaks(inspect(shown, { depth: 10, showHidden: true }))).toBe(false);
      expect(leaks(JSON.stringify(shown))).toBe(false);
    }
  });

  it("if it is sealed, and a sealed secret signs and verifies like the plain one", () => {
    for (const secret of [sealed(`raw:${canary + canary}`), sealed({ raw: canary + canary })]) {
      const config = { secrets: [secret] };

      expect(inspect(config, { depth: 10, showHidden: true })).toContain("[secret]");
      expect(leaks(inspect(config, { depth: 10, showHidden: true }))).toBe(false);
      expect(JSON.stringify(config)).toBe('{"secrets":["[secret]"]}');
      expect(String(secret)).toBe("[secret]");
      expect(Object.keys(secret)).toEqual([]);
    }
    const scheme = standardWebhooks();
    const attempt = signed(scheme, [sealed(SECRET)]);
    expect(attempt).toEqual(signed(scheme, [SECRET]));
    expect(scheme.verify(attempt, [sealed(SECRET)], { now })).toMatchObject({ ok: true });
    expect(() => scheme.check([sealed("whsec_")], "sign")).toThrow(/^secrets\[0\] is empty/);
  });
});
