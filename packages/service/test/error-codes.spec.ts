import { readFileSync } from "node:fs";
import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { attemptErrorCodes } from "../src/delivery/egress/attempt-error.ts";
import { errorCodes, importCodes, memberCodes } from "../src/error-codes.ts";
import { problemAnswer } from "../src/http/answer.ts";
import { refuse } from "../src/http/problem.ts";
import { tokenErrors } from "../src/http/routes/tokens.ts";
import { policyOf } from "../src/profile/policy.ts";

describe("the registry of error codes", () => {
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
    const tables = [errorCodes, importCodes, memberCodes, tokenErrors, attemptErrorCodes];
    const names = tables.flatMap((table) => Object.keys(table));
    expect(new Set(names).size).toBe(names.length);
  });
});
