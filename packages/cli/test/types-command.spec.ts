import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { profiles } from "@countersign/schemas/profiles";
import { sendingProviderOf } from "@countersign/schemas/provider-of";
import { reference } from "@countersign/schemas/providers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ran } from "./ran.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const languages = ["typescript", "python", "go", "java"];

/** Everything that a run wrote, in the order of names. */
const printed = (language: string, ...more: readonly string[]): Promise<string> =>
  printedInto(temporaryFolder(), language, ...more);

async function printedInto(
  folder: string,
  language: string,
  ...more: readonly string[]
): Promise<string> {
  const out = join(folder, "events");
  const { status, err } = await ran(["types", "--language", language, "--out", out, ...more]);
  expect({ status, err }).toEqual({ status: 0, err: "" });
  if (language !== "java") return readFileSync(out, "utf8");
  const names = readdirSync(out).toSorted();
  return names.map((name) => readFileSync(join(out, name), "utf8")).join("\n");
}

function expectExact(shown: string): void {
  const code = shown.replaceAll(/^\s*(?:\/\/|#(?!\[)|\/?\*|""").*$/gm, "");
  expect(code).not.toMatch(/\b(?:float(?:32|64)?|double|f64|f32)\b/i);
  expect(code).not.toMatch(/\bvalue: number\b/);
  expect(code).toMatch(/Decimal|json\.Number/i);
}

describe.each(languages)("countersign types --language %s", (language) => {
  const folder = temporaryFolder(afterAll);
  let shown: string;
  beforeAll(async () => {
    shown = await printedInto(folder, language);
  });

  it(
    "prints a documented type with exact decimals for each event, the same each time",
    { tags: "ci" },
    async () => {
      if (language === "typescript") expect(await printed(language)).toBe(shown);
      const names = sendingProviderOf(profiles.standard).catalogue.map(({ type }) =>
        type.replaceAll(/(?:^|\.)([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
      );
      for (const name of names)
        expect(shown).toMatch(new RegExp(`\\b(?:class|interface|struct|type) ${name}Event\\b`));
      expect(shown).toContain("Identifier of the event, equal in every delivery");
      expectExact(shown);
      const other = await printed(language, "--profile", "x-signature");
      expect(other).toContain("profile x-signature");
      expectExact(other);

      // Known values of an open list, in the type or in its documentation.
      const flat = shown.replaceAll(/\n\s*(?:#|\/\/\/?|\*)?\s*/g, " ");
      expect(flat).toMatch(/Known values: [A-Z, ]+INACTIVE\.|"INACTIVE" \| \(string & \{\}\)/);
      expect(flat).not.toMatch(
        /always USD.{0,80}always USD|Interface section 6 specifies neither/i,
      );
    },
  );

  it("prints the types of refunds, customers and problems", () => {
    for (const name of ["RefundRequest", "Refund", "Customer", "Problem"])
      expect(shown).toMatch(new RegExp(`\\b(?:class|interface|struct|type) ${name}\\b`));
  });

  it("keeps the event names of a catalogue, and uses one type name for each", async () => {
    const [first] = reference.catalogue ?? [];
    const catalogue = [
      { ...first, kind: "payment.created", type: "ach.id.received" },
      { ...first, kind: undefined, type: "3ds.api.url" },
    ];
    const file = join(temporaryFolder(), "profile.json");
    writeFileSync(
      file,
      JSON.stringify({
        ...profiles.standard,
        name: "changed",
        provider: { ...reference, catalogue },
      }),
    );
    const other = await printed(language, "--profile", file);
    expect(other).toContain("ach.id.received");
    expect(other).toContain("3ds.api.url");
    const [declared = ""] = /\bOf3ds\w+Event\b/i.exec(other) ?? [];
    expect(declared).not.toBe("");
    const uses = other.match(new RegExp(`\\b${declared}\\b`, "gi")) ?? [];
    expect(uses.filter((use) => use !== declared)).toEqual([]);
  });
});

describe("countersign types", () => {
  it("prints the paths, also as JSON, and leaves no other file", async () => {
    const home = temporaryFolder();
    const out = join(home, "deep", "er", "events.py");
    const args = ["types", "--language", "python", "--out", out];
    expect(await ran(args)).toEqual({ status: 0, out: `${out}\n`, err: "" });
    expect(readdirSync(join(home, "deep", "er"))).toEqual(["events.py"]);
    const { out: json } = await ran([...args, "--json"]);
    expect(JSON.parse(json)).toEqual({
      language: "python",
      events: "profile standard",
      files: [out],
    });
  });

  it("prints Go types into --package", async () => {
    expect(await printed("go", "--package", "webhooks")).toMatch(/^package webhooks$/m);
  });
});
