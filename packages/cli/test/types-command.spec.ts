import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it, onTestFinished } from "vitest";
import { ran } from "./ran.ts";

const languages = "typescript python go java kotlin csharp ruby rust swift".split(" ");

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "countersign-types-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** All that a run wrote, in the order of names. */
async function printed(language: string, ...more: readonly string[]): Promise<string> {
  const out = join(folder(), "events");
  const { status, err } = await ran(["types", "--language", language, "--out", out, ...more]);
  expect({ status, err }).toEqual({ status: 0, err: "" });
  if (language !== "java") return readFileSync(out, "utf8");
  const names = readdirSync(out).toSorted();
  return names.map((name) => readFileSync(join(out, name), "utf8")).join("\n");
}

const kept = new Map<string, Promise<string>>();

/** What `printed` gives; one run for all tests that only look at it. */
function text(language: string, profile = "standard"): Promise<string> {
  const name = `${language} ${profile}`;
  const run = kept.get(name) ?? printed(language, "--profile", profile);
  kept.set(name, run);
  return run;
}

/** A profile document on disk, the standard one with changes. */
function profileFile(changes: object): string {
  const file = join(folder(), "profile.json");
  writeFileSync(file, JSON.stringify({ ...profiles.standard, name: "changed", ...changes }));
  return file;
}

describe.each(languages)("countersign types --language %s", (language) => {
  it("prints a type for each event, the same each time, with its documentation", async () => {
    const shown = await printed(language);
    expect(await text(language)).toBe(shown);
    const names = profiles.standard.catalogue.map(({ type }) =>
      type.replaceAll(/(?:^|\.)([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
    );
    for (const name of names)
      expect(shown).toMatch(
        new RegExp(`^.*\\b(?:class|interface|struct|type) ${name}Event\\b`, "m"),
      );
    expect(shown).toContain("A payment record: a debit of a customer or the refund of one.");
    expect(shown).toContain("Identifier of the event, the same through every delivery");
    expect(shown).toContain("The webhook events of profile standard, by `countersign types`.");
  });

  it.each(["standard", "x-signature"])(
    "has exact decimals and no float in profile %s",
    async (profile) => {
      const shown = await text(language, profile);
      const code = shown.replaceAll(/^\s*(?:#|\/\/|\/?\*|""").*$/gm, "");
      expect(code).not.toMatch(/\b(?:float(?:32|64)?|double|f64|f32)\b/i);
      expect(code).not.toMatch(/^ +readonly .*\bnumber\b/m);
      expect(code).toMatch(/Decimal|json\.Number/i);
    },
  );

  it("keeps a list of values open that is marked so, and a closed one closed", async () => {
    const shown = await text(language);
    const flat = shown.replaceAll(/\n\s*(?:#|\/\/\/?|\*)?\s*/g, " ");
    expect(flat).toMatch(/CANCELED; others may be added|"CANCELED" \| \(string & \{\}\)/);
    expect(shown).toMatch(/PaymentDirection/);
    expect(shown).not.toContain("any-other-value");
  });

  it("names the events of a catalogue as it does, also where the language has a way of its own", async () => {
    const [first] = profiles.standard.catalogue;
    const catalogue = [
      { ...first, kind: "payment.created", type: "ach.id.received" },
      { ...first, kind: undefined, type: "3ds.api.url" },
    ];
    const shown = await printed(language, "--profile", profileFile({ catalogue }));
    expect(shown).toContain("ach.id.received");
    expect(shown).toContain("3ds.api.url");
    const [declared] = /\bOf3ds\w+Event\b/i.exec(shown) ?? [];
    expect(declared).toBeDefined();
    // Whatever the language makes of the name, all uses are of that one.
    const uses = shown.match(/\bOf3ds\w*Event\b/gi) ?? [];
    const others = uses.filter(
      (use) => use !== declared && use.toLowerCase() === declared?.toLowerCase(),
    );
    expect(others).toEqual([]);
  });
});

// No compiler of these is asked: Kotlin's and C#'s need packages, the others' are seldom there.
describe.each(["go", "kotlin", "csharp", "ruby", "swift"])(
  "countersign types --language %s, whose compiler may not be here,",
  (language) => {
    it.each(["standard", "x-signature"])("closes each bracket in profile %s", async (profile) => {
      const code = (await text(language, profile))
        .replaceAll(/^\s*(?:\/\/|#(?!\[)|\/?\*).*$/gm, "")
        .replaceAll(/"(?:[^"\\\n]|\\.)*"|`[^`\n]*`/g, '""');
      const open: string[] = [];
      const pairs: Readonly<Record<string, string>> = { "}": "{", ")": "(", "]": "[" };
      for (const [bracket] of code.matchAll(/[{}()[\]]/g)) {
        const opened = pairs[bracket];
        if (opened === undefined) open.push(bracket);
        else expect(open.pop()).toBe(opened);
      }
      expect(open).toEqual([]);
      if (language === "ruby") {
        const opening = code.match(/^\s*(?:module|class|def|if) |\bdo\b/gm) ?? [];
        expect(code.match(/^\s*end\b/gm)).toHaveLength(opening.length);
      }
    });
  },
);

describe("countersign types", () => {
  it("prints the paths, or JSON, and leaves nothing beside them", async () => {
    const home = folder();
    const out = join(home, "deep", "er", "events.py");
    const args = ["types", "--language", "python", "--out", out];
    expect(await ran(args)).toEqual({ status: 0, out: `${out}\n`, err: "" });
    expect(readdirSync(join(home, "deep", "er"))).toEqual(["events.py"]);
    const { out: json } = await ran([...args, "--json"]);
    expect(JSON.parse(json)).toEqual({ language: "python", profile: "standard", files: [out] });
  });

  it.each([
    ["go", "webhooks", /^package webhooks$/m],
    ["java", "com.example.events", /^package com\.example\.events;$/m],
    ["kotlin", "com.example.events", /^package com\.example\.events$/m],
    ["csharp", "Example.Events", /^namespace Example\.Events$/m],
    ["ruby", "Example", /^module Example$/m],
  ])("puts %s into --package %s", async (language, name, line) => {
    expect(await printed(language, "--package", name)).toMatch(line);
  });

  it.each([
    ["an unknown language", ["--language", "cobol"]],
    ["a package where there is none", ["--language", "python", "--package", "events"]],
    ["a package that is no name", ["--language", "go", "--package", "a b"]],
    ["a package that would leave its line", ["--language", "java", "--package", "a;class B{}"]],
    ["a file where a folder is due", ["--language", "java", "--out", "FILE"]],
    ["a folder where a file is due", ["--language", "go", "--out", "FOLDER"]],
    ["a place that cannot be written", ["--language", "go", "--out", "FILE/events.go"]],
  ])("ends with 2 for %s, and writes nothing", async (_what, args) => {
    const home = folder();
    writeFileSync(join(home, "FILE"), "kept");
    mkdirSync(join(home, "FOLDER"));
    const given = args.includes("--out") ? args : [...args, "--out", "out"];
    const at = given.map((one, index) => (given[index - 1] === "--out" ? join(home, one) : one));
    const { status, out, err } = await ran(["types", ...at]);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toMatch(/^countersign: CS_CLI_ARGUMENT_UNUSABLE: /);
    expect(readdirSync(home).toSorted()).toEqual(["FILE", "FOLDER"]);
    expect(readFileSync(join(home, "FILE"), "utf8")).toBe("kept");
    expect(existsSync(join(home, "out"))).toBe(false);
  });
});
