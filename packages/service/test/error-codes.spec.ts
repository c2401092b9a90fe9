import { readdirSync, readFileSync } from "node:fs";
import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { attemptErrorCodes } from "../src/delivery/egress/attempt-error.ts";
import { errorCodes, memberCodeOfJson, memberCodes } from "../src/error-codes.ts";
import { problemAnswer } from "../src/http/answer.ts";
import { refuse } from "../src/http/problem.ts";
import { tokenErrors } from "../src/http/routes/tokens.ts";
import { policyOf } from "../src/profile/policy-of.ts";

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
    // Written only by the rules.
    const others = ["REFUND_RETURNED", ...Object.values(memberCodeOfJson)];
    const used = new Set([...codesIn(/^(?!error-codes)/), ...others]);
    expect([...registered].filter((code) => !used.has(code))).toEqual([]);
  });

  it("has a heading in the codes reference for each code, to which a problem's type links", () => {
    const page = new URL("../../../docs/reference/codes.md", import.meta.url);
    const headings = readFileSync(page, "utf8").match(/(?<=^#+ ).*$/gm) ?? [];
    const policy = policyOf(profiles.standard);
    for (const code of Object.keys(errorCodes)) {
      const refusal = { ...refuse("NOT_FOUND").refusal, code };
      const { type = "" } = problemAnswer(policy, refusal, "req_1").body as { type?: string };
      const [address, anchor] = type.split("#");
      expect(address).toMatch(/^https:\/\/github\.com\/.*\/docs\/reference\/codes\.md$/);
      // GitHub numbers further headings that differ only in case.
      expect(headings.find((heading) => heading.toLowerCase() === anchor)).toBe(code);
    }
  });

  it("[P-ERROR-CODE-STABLE] never gives one name two meanings", () => {
    const tables = [errorCodes, memberCodes, tokenErrors, attemptErrorCodes];
    const names = tables.flatMap((table) => Object.keys(table));
    expect(new Set(names).size).toBe(names.length);
  });
});
