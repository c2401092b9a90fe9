import { describe, expect, it } from "vitest";
import { curlOf, quoted } from "../src/events/snippets.ts";
import { diffLines, durationText, formatted, summarize } from "../src/words.ts";

describe("JSON to read", () => {
  const text = '{"id":"data","data":{"value":10.50,"data":{"x":1e400}},"n":[]}';
  it.each([
    ["/data/data", '{\n  "x": 1e400\n}'],
    ["/data", '{\n  "value": 10.50,\n  "data": {\n    "x": 1e400\n  }\n}'],
    ["/missing", "{}"],
  ])("is found at %s, digit for digit", (pointer, expected) => {
    expect(formatted(text, pointer)).toBe(expected);
  });

  it("is any other text as it is", () => {
    expect(formatted("a=1&b=2")).toBe("a=1&b=2");
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

describe("the comparison of two texts", () => {
  const signs = { same: " ", removed: "-", added: "+" };
  const compared = (one: string, other: string): string[] =>
    diffLines(one, other).map(({ kind, text }) => signs[kind] + text);

  it("pairs the lines of texts with as many lines, and else those at their ends", () => {
    expect(compared("a\nb\nc", "a\nx\nc")).toEqual([" a", "-b", "+x", " c"]);
    expect(compared("a\nb\nc", "a\nx\ny\nc")).toEqual([" a", "-b", "+x", "+y", " c"]);
    expect(compared("a", "a\na")).toEqual([" a", "+a"]);
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

describe("the summary of a delivery", () => {
  const diagnosis = { isGood: false, cause: null, fix: null, isGuess: false };
  const made = {
    number: 1,
    startedAt: "2026-11-20T15:00:00.000Z",
    sandboxAt: null,
    durationMs: 62,
    status: 500,
    error: null,
    answer: "",
    headers: null,
    responseHeaders: null,
    fault: null,
    outcome: null,
  };
  const bad = { ...made, diagnosis: { ...diagnosis, what: "It answered 500." } };
  const good = { ...made, diagnosis: { ...diagnosis, isGood: true, what: "It answered 204." } };
  it.each([
    ["delivered", [good], "Delivered at the first attempt. It answered 204."],
    ["delivered", [bad, good], "Delivered after it had failed once. It answered 204."],
    ["retrying", [bad, bad], "Failed 2 times. It answered 500."],
    ["gave_up", [bad], "Gave up after 1 attempts. It answered 500."],
  ] as const)("says how one that is %s fares", (status, attempts, expected) => {
    expect(summarize({ status, attempts, isPaused: false })).toBe(expected);
  });
});
