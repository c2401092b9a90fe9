import { readFileSync } from "node:fs";
import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";

const page = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");

/** The values of a profile by their paths; lists are one value. */
function leaves(value: unknown, path = ""): [string, unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[path, value]];
  return Object.entries(value).flatMap(([name, member]) =>
    leaves(member, path === "" ? name : `${path}.${name}`),
  );
}

describe("docs/profile.md", () => {
  const lines = page("profile").split("\n");

  it.each(Object.entries(profiles))("has every value of the profile %s", (name, profile) => {
    const { name: _, evidence: _evidence, catalogue: _rows, ...choices } = profile;
    const column = Object.keys(profiles).indexOf(name) + 3;
    const missing = leaves(choices).filter(([path, value]) => {
      const row = lines.find((line) => line.startsWith(`| \`${path}\``));
      const cell = row?.split(" | ")[column - 1]?.trim();
      return (
        cell !== `\`${typeof value === "string" && value !== "" ? value : JSON.stringify(value)}\``
      );
    });
    expect(missing).toEqual([]);
  });

  it("has the evidence of each open point with a reason", () => {
    const { evidence } = profiles.standard;
    const told = lines.filter((line) => line.startsWith("Evidence, "));
    expect(told).toHaveLength(Object.keys(evidence).length);
    for (const grade of ["specified", "public practice", "assumed"]) {
      const count = Object.values(evidence).filter((one) => one === grade).length;
      expect(told.filter((line) => new RegExp(`\\*\\*${grade}\\b`).test(line))).toHaveLength(count);
    }
    for (const line of told) expect(line).toMatch(/\*\*\. \S.{20}/);
  });
});
