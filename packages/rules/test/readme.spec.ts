import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as rules from "../src/index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

function section(title: string): string {
  return readme.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
}

function blocks(language: string): string[] {
  const fences = readme.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"));
  return Array.from(fences, ([, text]) => text ?? "");
}

function sources(): string[] {
  const folder = new URL("../src/", import.meta.url);
  return readdirSync(folder).map((file) => readFileSync(new URL(file, folder), "utf8"));
}

describe("the README", () => {
  it("shows code that prints what its comments say", () => {
    const [code = ""] = blocks("ts");
    const script = code
      .replace(/import \{(.*?)\} from "@countersign\/rules";/s, "const {$1} = rules;")
      .replace(" as const", "");
    const printed: unknown[][] = [];
    const log = (...values: unknown[]): void => void printed.push(values);
    // The only text that it runs is this repository's own README.
    // oxlint-disable-next-line typescript/no-implied-eval
    const run = new Function("rules", "console", script) as (...values: unknown[]) => void;
    run(rules, { log });
    expect(printed).toEqual([
      [1050n, "10.50"],
      ["2026-11-30T05:00:00.000Z"],
      [{ ok: true, refund: { status: "PENDING", eligibleAt: 1_796_014_800_000 } }],
    ]);
    const comments = [...code.matchAll(/\/\/ (.*)/g)].map(([, comment]) => comment);
    expect(comments.slice(0, 2)).toEqual(["1050n 10.50", "2026-11-30T05:00:00.000Z"]);
    expect(comments[2]).toBe(
      '{ ok: true, refund: { status: "PENDING", eligibleAt: 1796014800000 } }',
    );
  });

  it("lists every error code of the source, and no other", () => {
    const ofAmountsAndJson = /"(CS_[A-Z_]+)"/g;
    const ofRefunds = /"((?:REFUND|PAYMENT|CUSTOMER)_[A-Z_]+)"/g;
    const written = sources().flatMap((source) =>
      [...source.matchAll(ofAmountsAndJson), ...source.matchAll(ofRefunds)].map(([, code]) => code),
    );
    const listed = [...section("Codes").matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code);
    expect(new Set(listed)).toEqual(new Set(written));
    expect(listed).toHaveLength(new Set(listed).size);
  });

  it("draws the exported transition tables", () => {
    expect(blocks("mermaid")).toEqual([
      rules.mermaid(rules.refundTransitions),
      rules.mermaid(rules.customerTransitions),
    ]);
  });

  it("names every export of the package, and no other", () => {
    const table = section("Contents").split("\n**")[0] ?? "";
    const named = [...table.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set(Object.keys(rules)));
    expect(named).toHaveLength(new Set(named).size);
  });
});

describe("a transition table", () => {
  it("draws a Mermaid arrow for each row, with its condition and effect, and escapes Mermaid's characters", () => {
    expect(
      rules.mermaid([
        { from: undefined, trigger: "make", condition: undefined, to: "A", effect: undefined },
        { from: "A", trigger: "time", condition: "late", to: "B", effect: undefined },
        { from: "B", trigger: '#;:<>{}"', condition: undefined, to: "A", effect: "é" },
      ]),
    ).toBe(
      [
        "stateDiagram-v2",
        "    [*] --> A: make",
        "    A --> B: time [late]",
        "    B --> A: #35;#59;#58;#60;#62;#123;#125;#34; / é",
        "",
      ].join("\n"),
    );
  });
});
