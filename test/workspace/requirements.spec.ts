import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { providerChecks, receiverChecks, senderChecks } from "@countersign/contract-kit";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(`${root}/${path}`, "utf8");

interface Requirement {
  readonly id: string;
  readonly checks: readonly string[];
  readonly unchecked?: string;
}

interface Requirements {
  readonly role: "provider" | "sender" | "receiver";
  readonly requirements: readonly Requirement[];
}

// Most checks of senders are checks of providers too.
const checks = [
  ...new Map(
    [...senderChecks, ...providerChecks, ...receiverChecks].map((one) => [one.id, one]),
  ).values(),
];
const files = globSync("contracts/requirements/*.json", { cwd: root }).filter(
  (path) => !path.endsWith(".schema.json"),
);
const validate = new Ajv2020({ allErrors: true }).compile<Requirements>(
  JSON.parse(read("contracts/requirements/requirement.schema.json")) as object,
);
const requirements = files.flatMap((path) => (JSON.parse(read(path)) as Requirements).requirements);
const ids = requirements.map(({ id }) => id);

describe("the requirements", () => {
  it.each(files)("fit their schema in %s", (path) => {
    const { $schema: _, ...document } = JSON.parse(read(path)) as Record<string, unknown>;
    validate(document);
    expect(validate.errors ?? []).toEqual([]);
    expect(path).toContain(String(document["role"]));
  });

  it("have unique ids", () => {
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("name their checks, or the reason for having no check", () => {
    const silent = requirements.filter((one) => one.checks.length === 0 && !one.unchecked);
    const both = requirements.filter((one) => one.checks.length > 0 && one.unchecked);
    expect([...silent, ...both].map(({ id }) => id)).toEqual([]);
  });

  it("name the same checks as the checks name requirements", () => {
    const told = requirements.flatMap((one) => one.checks.map((check) => `${check} ${one.id}`));
    const tested = checks.flatMap((one) => one.requirements.map((id) => `${one.id} ${id}`));
    expect(told.toSorted()).toEqual(tested.toSorted());
  });
});
