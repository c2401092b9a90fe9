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
} from "../../src/stated/index.ts";
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
const seed = Buffer.alloc(32, 7);
const both = ["sign", "verify"] as const;
const standard = [standardWebhooks()];

/** Bad secrets by the message that every named scheme and use throws. */
type Bad = readonly [RegExp, readonly SignatureScheme[], readonly SecretUse[], readonly unknown[]];
const short = [{ raw: new Uint8Array(23) }, raw.slice(1)];
const garbled = [
  "whsec_!!!",
  `whsec_${base64(24).slice(4)}_-_-`,
  whsec(25).replaceAll("=", ""),
  `${whsec(24)}====`,
  `${whsec(25).slice(0, -3)}x==`,
];
const bad: readonly Bad[] = [
  [
    /is missing: is its environment variable set/,
    schemes,
    both,
    [undefined, null, {}, { raw: null }],
  ],
  [/expected text, or \{ raw \}/, schemes, both, [{ raw: 42 }]],
  [/is empty/, schemes, both, ["", "\n", { raw: new Uint8Array() }]],
  [/contains a line break \(character 25\)/, schemes, both, [`${raw}\n\n`, `${raw}\n${raw}`]],
  [/contains a space \(character 1\)/, schemes, both, [` ${raw}`]],
  [/contains a space \(character 25\)/, schemes, both, [`${raw} `]],
  [/contains a tab \(character 25\)/, schemes, both, [`${raw}\t${raw}`]],
  [/contains a carriage return/, schemes, both, [`${raw}\r`]],
  [/contains a non-breaking space/, schemes, both, [`${raw}\u00a0`]],
  [/contains a byte order mark \(character 1\)/, schemes, both, [`\uFEFF${raw}`]],
  [/not printable ASCII .*as bytes/, schemes, both, [{ raw: "é".repeat(24) }, `${raw}\u007f`]],
  [
    /is in quotes \(["'`]\): remove/,
    schemes,
    both,
    [`"${raw}"`, `'${raw}'\n`, `"${raw}`, `${raw}\``],
  ],
  [/too short: a key needs at least 24/, schemes, both, short],
  [/too long: a key has at most 1024/, schemes, both, [{ raw: new Uint8Array(1025) }]],
  [/is empty/, standard, both, ["raw:", "whsec_"]],
  [/is in quotes \("\)/, standard, both, [`raw:"${raw}"`, `raw:"${raw}`]],
  [/too short/, standard, both, [`raw:${"x".repeat(23)}`, whsec(23)]],
  [/not canonical base64 after whsec_/, standard, both, garbled],
  [/too long: a key has at most 64/, standard, both, [whsec(65)]],
  [/expected 32 bytes, or 44/, standard, ["verify"], [31, 33].map((n) => whpk(Buffer.alloc(n)))],
  [/not canonical base64 after whpk_/, standard, ["verify"], ["whpk_!!!"]],
  [/its DER describes something else/, standard, ["verify"], [whpk(Buffer.alloc(44, 1))]],
  [/expected 32 bytes \(seed\), 64/, standard, ["sign"], [whsk(seed.subarray(1))]],
  [/not canonical base64 after whsk_/, standard, ["sign"], ["whsk_!!!"]],
  [/its DER describes something else/, standard, ["sign"], [whsk(Buffer.alloc(48, 1))]],
  [/public half does not belong to its seed/, standard, ["sign"], [whsk(Buffer.alloc(64, 7))]],
];

describe("A7: a secret", () => {
  it.each(bad)(
    "is refused with a TypeError that matches %s",
    (message, refusing, uses, secrets) => {
      for (const secret of secrets)
        for (const scheme of refusing)
          for (const error of uses.flatMap((use) => refusals(scheme, [secret], use))) {
            expect(error).toBeInstanceOf(TypeError);
            expect(String(error)).toMatch(message);
            expect(String(error)).toContain("secrets[0]");
          }
    },
  );

  it("has 24 to 64 bytes as whsec_, and 24 to 1,024 otherwise", () => {
    const bytes = [24, 1024].map((length) => ({ raw: new Uint8Array(length) }));
    const good = [whsec(24), whsec(64), ...bytes, `raw:${"~".repeat(24)}`, "!".repeat(1024)];
    for (const secret of good)
      for (const use of both)
        for (const scheme of [standardWebhooks(), xSignature()])
          expect(refusals(scheme, [secret], use)).toEqual([undefined, undefined]);
  });

  it("may be shorter only if minSecretBytes, an integer from 1 to 64, allows it", () => {
    const lenient = standardWebhooks({ minSecretBytes: 1 });

    // Another scheme checks the same secret again.
    const same = [{ raw: "short" }];
    lenient.check(same, "verify");
    expect(() => standardWebhooks().check(same, "verify")).toThrow(/too short/);
    expect(refusals(lenient, [whsec(1), "raw:x"], "verify")).toEqual([undefined, undefined]);
    expect(() => lenient.check(["raw:"], "sign")).toThrow(TypeError);
    const strict = standardWebhooks({ minSecretBytes: 64 });
    expect(() => strict.check([whsec(63)], "sign")).toThrow(/at least 64/);
    for (const minSecretBytes of [0, -1, 65, 1.5, Number.NaN, Infinity, "24" as never])
      for (const make of [standardWebhooks, xSignature])
        expect(() => make({ minSecretBytes })).toThrow(TypeError);
  });

  it("loses one final newline of its text in every scheme, and no other byte", () => {
    for (const scheme of schemes) {
      const attempt = signed(scheme, [TEXT_SECRET]);
      const accepts = (secret: Secret) => scheme.verify(attempt, [secret], { now }).ok;

      expect(accepts(`${TEXT_SECRET}\n`)).toBe(true);
      expect(accepts(`${TEXT_SECRET}\r\n`)).toBe(true);
      expect(accepts({ raw: `${TEXT_SECRET}\n` })).toBe(true);
      expect(accepts({ raw: Buffer.from(TEXT_SECRET) })).toBe(true);
      expect(accepts({ raw: Buffer.from(`${TEXT_SECRET}\n`) })).toBe(false);
    }
  });

  it("A8: is its text if it has no prefix that the scheme knows, never both its text and its bytes", () => {
    for (const [index, scheme] of schemes.entries()) {
      const texts =
        index === 0
          ? [`WHSEC_${base64(24)}`, base64(24), `${raw}"${raw}`, `${raw}-whsec_AAAA`]
          : [SECRET, PUBLIC_KEY, "raw:" + raw];
      for (const text of texts) {
        const attempt = signed(scheme, [text]);
        for (const same of [{ raw: text }, { raw: Buffer.from(text) }])
          expect(scheme.verify(attempt, [same], { now })).toMatchObject({ ok: true });
      }
      const decoded = { raw: Buffer.from(SECRET.slice("whsec_".length), "base64") };
      const attempt = signed(scheme, [SECRET]);
      expect(scheme.verify(attempt, [decoded], { now }).ok).toBe(index === 0);
      expect(scheme.verify(attempt, [{ raw: SECRET }], { now }).ok).toBe(index !== 0);
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

  it("has no warning for other text, hexadecimal text, or an explicit encoding", () => {
    const hex = Buffer.alloc(32, 0x5a).toString("hex");
    for (const text of [
      TEXT_SECRET,
      hex,
      whsec(24),
      `raw:${base64(24)}`,
      { raw: base64(24) },
      `longerword_${base64(24)}`,
    ]) {
      expect(Object.keys(check(text) ?? {})).toEqual(["fingerprint"]);
      expect(check(text)?.fingerprint).toMatch(/^[0-9a-f]{12}$/);
    }
    expect(xSignature().check([base64(24)], "verify")[0]).not.toHaveProperty("warning");
  });

  it("has one fingerprint for every form of its key, and another for another key", () => {
    const bytes = Buffer.from(SECRET.slice("whsec_".length), "base64");
    for (const form of [`${SECRET}\n`, sealed(SECRET), { raw: bytes }])
      expect(check(form)).toEqual(check(SECRET));
    expect(check(`raw:${TEXT_SECRET}`)).toEqual(check(TEXT_SECRET));
    expect(check(TEXT_SECRET)).not.toEqual(check(SECRET));
    expect(check(PUBLIC_KEY)).toEqual(check(PRIVATE_KEY, "sign"));
    expect(check(PUBLIC_KEY)?.fingerprint).toMatch(/^[0-9a-f]{12}$/);
    const shared = { raw: Buffer.from(PUBLIC_KEY.slice("whpk_".length), "base64") };
    expect(check(shared)).not.toEqual(check(PUBLIC_KEY));
  });
});

describe("a list of secrets", () => {
  it("has 1 to 4 secrets in every scheme; the error names its mistake or the index of a bad secret", () => {
    const hole: Secret[] = [{ raw: TEXT_SECRET }];
    hole.length = 2;
    const many = Array.from({ length: 5 }, (): Secret => ({ raw: TEXT_SECRET }));
    for (const scheme of schemes) {
      for (const [list, message] of [
        ...[undefined, null, {}, TEXT_SECRET].map((no) => [no, "expected a list"] as const),
        [[], 'missing secret: "secrets" is empty'],
        [many, 'invalid "secrets": expected at most 4 secrets'],
        [[{ raw: TEXT_SECRET }, ""], "secrets[1] is empty"],
        [hole, "secrets[1] is missing"],
      ] as const)
        for (const error of refusals(scheme, list, "verify")) {
          expect(error).toBeInstanceOf(TypeError);
          expect(String(error)).toContain(message);
        }
      expect(refusals(scheme, many.slice(1), "verify")).toEqual([undefined, undefined]);
    }
  });
});

describe("the secret is never shown", () => {
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
      fc.property(around, encoded, after, fc.boolean(), (before, key, end, isRaw) => {
        const text = `${before}${key}${end}`;
        const errors = schemes.flatMap((scheme) =>
          both.flatMap((use) => refusals(scheme, [isRaw ? { raw: text } : text], use)),
        );
        expect(leaks(inspect(errors, { showHidden: true }))).toBe(false);
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

  it("in logs or JSON if it is sealed, and it signs and verifies like the plain one", () => {
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
