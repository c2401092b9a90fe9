import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { standardCatalogue } from "@countersign/schemas";
import { describe, expect, it } from "vitest";
import { attemptOf, otherSecret, recordingReceiver, refundAuthorized } from "../fixtures.ts";

const folder = new URL("../../../../schemas/", import.meta.url);
const documents = ["events", "resources"].flatMap((name) =>
  readdirSync(new URL(`${name}/`, folder))
    .filter((file) => file.endsWith(".schema.json"))
    .map((file) => JSON.parse(readFileSync(new URL(`${name}/${file}`, folder), "utf8")) as unknown),
);

type Json = Readonly<Record<string, unknown>>;

/** Every schema in a document, also those inside another. */
function schemasIn(value: unknown): readonly Json[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.entries(value).flatMap(([name, member]) =>
    // What stands there is data.
    name === "examples" || name.startsWith("x-") ? [] : schemasIn(member),
  );
  return Array.isArray(value) ? inside : [value as Json, ...inside];
}

const schemas = documents.flatMap(schemasIn);

describe("A23: a pattern that takes for ever", () => {
  const patterns = schemas.flatMap(({ pattern, maxLength }) =>
    typeof pattern === "string" ? [{ pattern, maxLength }] : [],
  );

  const repeated = ["a", "1", "-", " ", ".", "/", "a ", "1-", "a.", "/a", "aa1"];

  /** The longest that a pattern takes of the processor for texts that it nearly fits, in milliseconds. */
  function worst(pattern: string, length: number): number {
    const expression = new RegExp(pattern, "u");
    const times = repeated.map((part) => {
      const text = `${part.repeat(length).slice(0, length - 1)}\u{e9}`;
      const begun = process.cpuUsage();
      expression.test(text);
      return process.cpuUsage(begun).user / 1000;
    });
    return Math.max(...times);
  }

  it("is in no schema, and each text with a pattern has a greatest length", () => {
    expect(patterns.length).toBeGreaterThan(3);
    for (const { pattern, maxLength } of patterns) {
      expect(maxLength).toBeLessThanOrEqual(4096);
      // The short ones first: a pattern that doubles with each character is noticed at 24.
      for (const length of [24, 4096]) expect(worst(pattern, length)).toBeLessThan(50);
    }
  });

  it("would be noticed", () => {
    expect(worst("^(a+)+$", 24)).toBeGreaterThan(50);
  });

  it("would not run: a text of a megabyte is refused by its length, in every event", () => {
    const long = "1".repeat(1_000_000);
    for (const { validate } of Object.values(standardCatalogue.events)) {
      const begun = process.cpuUsage();
      expect(
        validate({ id: long, type: long, category: long, timestamp: long, data: long }).ok,
      ).toBe(false);
      const { user } = process.cpuUsage(begun);
      expect(user).toBeLessThan(500_000);
    }
  });

  it("would not run for a stranger: the signature is judged before any validator", async () => {
    let validated = 0;
    const entry = standardCatalogue.events["refund.authorized"];
    const events = {
      ...standardCatalogue.events,
      "refund.authorized": {
        ...entry,
        validate: (value: unknown) => {
          validated += 1;
          return entry.validate(value);
        },
      },
    };
    const { receiver } = recordingReceiver({ catalogue: { ...standardCatalogue, events } });
    const event = refundAuthorized();
    await receiver.receive(attemptOf(event, { secrets: [otherSecret] }));
    await receiver.receive({ ...attemptOf(event), body: Buffer.from("{") });
    expect(validated).toBe(0);

    await receiver.receive(attemptOf(event));
    expect(validated).toBe(1);
  });
});

describe("A24: a schema that is code, or lies elsewhere", () => {
  it("is refused as a document: every reference is to a file of the schemas' own", () => {
    const references = schemas.flatMap(({ $ref }) => ($ref === undefined ? [] : [$ref]));
    expect(references.length).toBeGreaterThan(10);
    for (const reference of references)
      expect(reference).toMatch(
        /^(?:\.\.\/resources\/|\.\/)?[a-z.-]+\.schema\.json(?:#[\w/$-]*)?$/,
      );
  });

  it.each([
    ["that makes no code of texts", "--disallow-code-generation-from-strings"],
    ["[A15] without __proto__", "--disable-proto=delete"],
    ["[A15] with __proto__ that throws", "--disable-proto=throw"],
    ["[A15] with frozen built-in objects", "--frozen-intrinsics"],
  ])("is not needed: a receiver verifies, reads and validates in a process %s", (_what, flag) => {
    const script = fileURLToPath(new URL("one-of-each.ts", import.meta.url));
    const output = execFileSync(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", "--conditions=@countersign/source", flag, script],
      { encoding: "utf8" },
    );
    expect(JSON.parse(output)).toEqual([
      "handled",
      "duplicate",
      "unrouted",
      "CS_EVENT_SCHEMA",
      "CS_BODY_NOT_JSON",
      "CS_SIGNATURE_MISMATCH",
    ]);
  });
});
