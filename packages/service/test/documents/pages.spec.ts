import { readFileSync } from "node:fs";
import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { openService } from "../open-service.ts";

const page = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");

/** The values of a profile by their paths; lists are one value. */
function leaves(value: unknown, path = ""): [string, unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[path, value]];
  return Object.entries(value).flatMap(([name, member]) =>
    leaves(member, path === "" ? name : `${path}.${name}`),
  );
}

describe("the page of profiles", () => {
  const lines = page("profile").split("\n");

  it.each(Object.entries(profiles))("has each value of the profile %s", (name, profile) => {
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

  it("has the evidence of each open point, with a reason", () => {
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

describe("the page of codes", () => {
  it("names the calls that answer a code, as they do", async () => {
    const { call } = await openService();
    const answer = await call("GET", "/v1/customers/cus_none");
    const { errorDetails } = answer.body as { errorDetails: { errorCode: string } };
    const row = page("errors")
      .split("\n")
      .find((line) => line.includes(errorDetails.errorCode));
    expect(row).toContain("`GET /v1/customers/{CUSTOMER_ID}`");
    expect(row).toContain(String(answer.status));
  });
});
