import { readdirSync, readFileSync } from "node:fs";
import { validateProblem } from "@countersign/schemas/writers";
import { describe, expect, it } from "vitest";
import { attemptErrorCodes } from "../src/delivery/attempt-error.ts";
import { errorCodes, memberCodeOfJson, memberCodes } from "../src/error-codes.ts";
import { tokenErrors } from "../src/http/token-refused.ts";

const sources = new URL("../src/", import.meta.url);

/** Everything in quotes that looks like a code, in the source files whose path matches. */
function codesIn(files: RegExp): Set<string> {
  const names = readdirSync(sources, { recursive: true, encoding: "utf8" });
  const texts = names
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => files.test(name) && name.endsWith(".ts"))
    .map((name) => readFileSync(new URL(name, sources), "utf8"));
  return new Set(texts.flatMap((text) => text.match(/(?<=")[A-Z][A-Z0-9_]{7,}(?=")/g) ?? []));
}

interface Entry {
  readonly status?: number | undefined;
  readonly title?: string;
  readonly meaning: string;
}

describe("the registry of error codes", () => {
  const registered = new Set([...Object.keys(errorCodes), ...Object.keys(memberCodes)]);

  it("has every code that the HTTP interface writes, and none that nothing writes", () => {
    // Errors of this program have codes that begin with CS_; no answer carries one.
    const codes = [...codesIn(/^http\/|^policy-of/)].filter((code) => !code.startsWith("CS_"));
    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((code) => !registered.has(code))).toEqual([]);
    for (const [code, member] of Object.entries(memberCodeOfJson)) {
      expect(code).toBe(`CS_${member}`);
      expect(memberCodes).toHaveProperty(member);
    }
    // Written by the rules alone.
    const others = ["REFUND_RETURNED", ...Object.values(memberCodeOfJson)];
    const used = new Set([...codesIn(/^(?!error-codes)/), ...others]);
    expect([...registered].filter((code) => !used.has(code))).toEqual([]);
  });

  it("[P-ERROR-CODE-STABLE] never gives one name two meanings", () => {
    const tables = [errorCodes, memberCodes, tokenErrors, attemptErrorCodes];
    const names = tables.flatMap((table) => Object.keys(table));
    expect(new Set(names).size).toBe(names.length);
  });

  it("has codes that the schema of problems accepts", () => {
    for (const [code, { status = 400, title, meaning }] of Object.entries(errorCodes)) {
      const errorDetails = { errorCode: code, errorMessage: meaning };
      const problem = { type: "about:blank", title, status, errorDetails };
      expect([code, validateProblem(problem)]).toMatchObject([code, { ok: true }]);
    }
  });

  it.each<[string, Readonly<Record<string, Entry>>]>([
    ["Error codes", errorCodes],
    ["Token error codes", tokenErrors],
    ["Member codes", memberCodes],
    ["Attempt error codes", attemptErrorCodes],
  ])("is listed in docs/errors.md under %s with each meaning and status", (heading, table) => {
    const page = readFileSync(new URL("../docs/errors.md", import.meta.url), "utf8");
    const [section = ""] = page.split(`\n## ${heading}\n`)[1]?.split("\n#") ?? [];
    const rows = section.split("\n").filter((line) => line.startsWith("|"));
    const cells = rows.slice(2).map((row) => row.split(" | ").map((cell) => cell.trim()));
    const hasStatus = heading.startsWith("Error") || heading.startsWith("Token");
    const listed = cells.map((row) => [
      row[0]?.replace(/^\| /, ""),
      hasStatus ? row[1] : "",
      row.at(-1)?.replace(/\s*\|$/, ""),
    ]);
    const expected = Object.entries(table).map(([code, { status, meaning }]) => [
      `\`${code}\``,
      hasStatus && status !== undefined ? String(status) : "",
      meaning,
    ]);
    expect(listed).toEqual(expected);
  });
});
