import { describe, expect, it } from "vitest";
import fc from "fast-check";
import type { Finding } from "../src/check.ts";
import {
  githubSummary,
  htmlReport,
  jsonReport,
  junitReport,
  type ReportDocument,
  terminalEntry,
  terminalSummary,
} from "../src/report/index.ts";

const statuses: readonly Finding["status"][] = [
  "fail",
  "pass",
  "warn",
  "error",
  "skipped",
  "not_applicable",
];

/** A report in which all external text is one given text. */
function reportOf(text: string): ReportDocument {
  return {
    title: text,
    about: {
      role: "receiver",
      target: text,
      profile: text,
      seed: 1,
      failOn: ["exploitable"],
      startedAt: "2026-01-02T03:04:05.000Z",
      kit: "0.1.0",
    },
    entries: statuses.map((status, index) => ({
      id: `${text}${index}`,
      group: text,
      name: text,
      requirement: text,
      level: "exploitable",
      status,
      isKnown: false,
      message: text,
      exchanges: [{ sent: text, received: text }],
      replay: text,
      ms: 1,
    })),
    uncovered: [
      { id: text, level: "exploitable", sentence: text, page: "docs/x.md#x", unchecked: text },
    ],
    notes: [text],
    problems: [text],
    fixed: [text],
    exitCode: 2,
  };
}

const attacks = [
  "<script>alert(1)</script>",
  `"><img src=x onerror=alert(1)>`,
  "</pre></style></title><svg onload=alert(1)>",
  "]]><x/><!--",
  "' onmouseover='alert(1)",
  "&lt;script&gt;&#x3C;b",
  "| a | b |\n| --- | --- |\n# title\n- [x](javascript:alert(1)) ![y](//canary.invalid/y.png)",
  "```\n</details>\n<img src=//canary.invalid/x>\n~~~",
  "`` ` ``` a`",
  "https://canary.invalid/x www.canary.invalid @everyone #1 \\",
  "::error title=x::y\n::add-mask::x\r\n::stop-commands::x",
  "  ::set-output name=a::b",
  "##[error]x ##vso[task.setvariable variable=a]b ##teamcity[testFailed name='a']",
  "\u001b[2J\u001b]0;title\u0007\u009b31m\u202e\u2066\u200b\u2028\u2029\ufeff",
  "\ud800 alone, \udc00 too",
  "%0A%3A,:title=a",
];
const hostile = fc.oneof(
  fc.constantFrom(...attacks),
  // Any code units, halves of pairs too.
  fc.uint16Array({ maxLength: 40 }).map((units) => String.fromCharCode(...units)),
  fc
    .array(fc.constantFrom(...attacks, " ", "\n", "\r", "\t", "`", "|"), { maxLength: 4 })
    .map((all) => all.join("")),
);
/** Controls except line breaks, and characters that turn the writing direction. */
const UNSEEN = /[^\P{Cc}\n]|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}/u;

/** Verifies reports of hostile texts, which must contain no illegal character. */
function always(
  write: (report: ReportDocument) => string,
  verify: (written: string, text: string) => void,
  illegal = UNSEEN,
): void {
  fc.assert(
    fc.property(hostile, (text) => {
      // Empty texts are left out of a report.
      const written = write(reportOf(text || " "));
      expect(written).not.toMatch(illegal);
      verify(written, text);
    }),
    { seed: 20, numRuns: 60 },
  );
}

/** The tags of a page or of XML, without the values of their attributes. */
const tagsOf = (text: string): readonly string[] =>
  (text.match(/<[^>]*>/g) ?? []).map((tag) => tag.replaceAll(/="[^"]*"/g, "="));

describe("a target's text", () => {
  it("adds no tag and no attribute to an HTML page", () => {
    const plain = tagsOf(htmlReport(reportOf("plain")));
    always(htmlReport, (page) => expect(tagsOf(page)).toEqual(plain));
  });

  it("adds no element, no attribute and no illegal character to JUnit's XML", () => {
    const plain = tagsOf(junitReport(reportOf("plain")));
    const verify = (xml: string): void => {
      expect(tagsOf(xml)).toEqual(plain);
      expect(xml.replaceAll(/&(?:amp|lt|gt|quot);/g, "")).not.toContain("&");
    };
    always(junitReport, verify, /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u);
  });

  it("adds no command and no line to a terminal or a build's log", () => {
    const faulty = (report: ReportDocument): string =>
      [...report.entries.flatMap(terminalEntry), ...terminalSummary(report)]
        .filter((line) => /\n|^\s*::|##\w*\[/.test(line) || UNSEEN.test(line))
        .join("\n");
    always(faulty, (lines) => expect(lines).toBe(""));
  });

  it("adds no HTML, link, table or heading to Markdown", () => {
    always(githubSummary, (text) => {
      const outside = withoutBlocks(text.split("\n")).map((line) =>
        line.replaceAll(/(?<!\\)(`+)(?!`).*?[^`]\1(?!`)/g, "CODE"),
      );
      const rest = outside
        .join("\n")
        .replaceAll("<!-- -->", "")
        .replaceAll(/\\[\\`*_[\]|~$]/g, "");
      expect(rest.replaceAll(/<\/?(?:details|summary)>/g, "")).not.toMatch(/[<[\]`]/);
      expect(outside.join("\n")).not.toMatch(/https?:\/\/|www\.|@\w|#\d/);
      expect(outside.filter((line) => line.startsWith("#"))).toHaveLength(6);
    });
  });

  it("is unchanged after JSON is read again, which contains no control character", () => {
    always(jsonReport, (json, text) => {
      const report = reportOf(text.toWellFormed());
      expect(JSON.parse(jsonReport(report))).toEqual(report);
      expect(json).not.toMatch(/##\w*\[/);
    });
  });
});

/** Returns the lines outside of fenced blocks; an open block at the end would swallow all that follows. */
function withoutBlocks(lines: readonly string[]): readonly string[] {
  let fence: string | undefined;
  const outside = lines.filter((line) => {
    if (fence === undefined) {
      fence = /^(`{3,})text$/.exec(line)?.[1];
      return fence === undefined;
    }
    if (line === fence) fence = undefined;
    return false;
  });
  expect(fence).toBeUndefined();
  return outside;
}
