import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { createRequire } from "node:module";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { curlOf, quoted, signatureLines } from "../src/events/snippets.ts";
import { diffLines, durationText, formatted, textAt } from "../src/words.ts";

describe("JSON to read", () => {
  it.each([
    [
      '{"a":1.50,"b":[true,null],"c":{}}',
      '{\n  "a": 1.50,\n  "b": [\n    true,\n    null\n  ],\n  "c": {}\n}',
    ],
    ['{"a":"{[,:]}\\""}', '{\n  "a": "{[,:]}\\""\n}'],
    ["[ ]", "[ ]"],
    ["1e400", "1e400"],
  ])("keeps every token of %s", (text, expected) => {
    expect(formatted(text)).toBe(expected);
  });
});

describe("a duration in seconds as text", () => {
  it.each([
    [0.4, "0 s"],
    [59, "59 s"],
    [90, "1.5 min"],
    [7200, "2 h"],
    [259_200, "3 d"],
  ])("shows %d in its largest unit", (seconds, expected) => {
    expect(durationText(seconds)).toBe(expected);
  });
});

describe("the data of an event as text", () => {
  const text = '{"id":"data","data":{"value":10.50,"data":{"x":1}},"n":[{"data":2}]}';
  it.each([
    ["/data", '{"value":10.50,"data":{"x":1}}'],
    ["/data/data", '{"x":1}'],
    ["", text],
    ["/missing", "{}"],
  ])("is found at %s, digit for digit", (pointer, expected) => {
    expect(textAt(text, pointer)).toBe(expected);
  });
});

describe("the comparison of two texts", () => {
  const signs = { same: " ", removed: "-", added: "+" };
  const compared = (one: string, other: string): string[] =>
    diffLines(one, other).map(({ kind, text }) => signs[kind] + text);

  it("shows lines that were removed before those that were added", () => {
    expect(compared("a\nb\nc", "a\nx\nc\nd")).toEqual([" a", "-b", "+x", " c", "+d"]);
    expect(compared("a", "a")).toEqual([" a"]);
    expect(compared("", "a")).toEqual(["-", "+a"]);
  });

  it("does not align texts of more than 400 lines", () => {
    const long = "a\n".repeat(500);
    expect(compared(long, long).every((line) => line.startsWith(" "))).toBe(true);
    expect(compared(long, `${long}b`)).toHaveLength(1002);
  });
});

it("a text is quoted as one word of a shell, without a character that a terminal obeys", () => {
  expect(quoted("it's")).toBe("'it'\\''s'");
  expect(quoted("a\u001b[31mb")).toBe(`"$(printf %b 'a\\0033[31mb')"`);
  const line = curlOf({
    url: "http://localhost/",
    headers: { "webhook-id": "evt_1" },
    body: "{}",
  });
  expect(line).toBe("curl -i -H 'webhook-id: evt_1' --data-binary '{}' 'http://localhost/'");
});

describe("the lines that compute a signature", () => {
  const require = createRequire(import.meta.url);
  const [signedText, key] = [
    'evt_1.1795000000.{"it\'s":"ü\u0000\u202e"}',
    "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  ];
  it.each([
    [
      "sha256 of a whsec_ secret",
      `whsec_${key}`,
      { algorithm: "hmac-sha256" },
      "base64 after whsec_",
      "sha256",
      "base64",
    ],
    [
      "sha512 of a text in hex",
      key,
      { algorithm: "hmac-sha512", encoding: "hex" },
      "text",
      "sha512",
      "hex",
    ],
  ] as const)("agree with Node's HMAC: %s", (_, SECRET, signature, form, algorithm, encoding) => {
    const bytes = encoding === "base64" ? Buffer.from(key, "base64") : key;
    const text = signedText.replace("\u0000", "");
    const expected = createHmac(algorithm, bytes).update(text).digest(encoding);
    const lines = signatureLines(
      { key: { form, bytes: 24, fingerprint: "" }, signedText: text },
      { signature },
    );
    const env = { ...process.env, SECRET };
    const [shell = "", node = ""] = lines.map((line) => line.text);
    expect(execFileSync("sh", ["-c", shell], { env, encoding: "utf8" })).toBe(expected);
    expect(runInNewContext(node, { require, process: { env }, Buffer })).toBe(expected);
  });
});
