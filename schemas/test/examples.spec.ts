import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { isHttpUrl, isTimestamp } from "../src/validation.ts";
import {
  errorsOf,
  examplesOf,
  files,
  grown,
  invalidOf,
  readerOf,
  writerOf,
} from "./schema-files.ts";

// An independent judge of the schemas as they are published, multipleOf included.
const oracle = new Ajv2020({
  strict: true,
  strictTypes: false,
  discriminator: false,
  allErrors: true,
  formats: { "date-time": isTimestamp, uri: isHttpUrl },
  multipleOfPrecision: 6,
});
for (const keyword of ["x-open", "x-invalid", "discriminator"]) oracle.addKeyword(keyword);
for (const { schema } of files) oracle.addSchema(schema);

describe.each(files.map((file) => [file.path, file] as const))("the schema %s", (_path, file) => {
  it("accepts its examples, by the writer's validator, the reader's and Ajv", () => {
    expect(examplesOf(file).length).toBeGreaterThanOrEqual(1);
    const validators = [writerOf(file), readerOf(file) ?? writerOf(file)];
    for (const value of examplesOf(file)) {
      expect(validators.flatMap((validator) => errorsOf(validator, value))).toEqual([]);
      expect([value, oracle.validate(file.id, value)]).toEqual([value, true]);
    }
  });

  it("lets readers accept unknown members at every level of its examples, and writers refuse them", () => {
    const reader = readerOf(file);
    const objects = examplesOf(file).filter((value) => typeof value === "object");
    for (const value of reader === undefined ? [] : objects.map(grown)) {
      expect(reader?.(value)).toMatchObject({ ok: true });
      const keywords = errorsOf(writerOf(file), value).map(({ keyword }) => keyword);
      expect(keywords).toContain("additionalProperties");
    }
  });

  it("refuses two examples or more, each for its reason, by the writer's validator and Ajv", () => {
    expect(invalidOf(file).length).toBeGreaterThanOrEqual(2);
    for (const { value, pointer, keyword, reason } of invalidOf(file)) {
      expect(reason.length).toBeGreaterThan(5);
      expect([reason, oracle.validate(file.id, value)]).toEqual([reason, false]);
      // Ajv has no discriminators here: it reports the faults of every kind.
      const said = (oracle.errors ?? []).map((error) => error.keyword);
      const hasOneOf = JSON.stringify(file.schema).includes('"oneOf"') && said.includes("oneOf");
      expect(said).toContain(hasOneOf ? "oneOf" : keyword);
      // The rules' money judges the text of a number, not the validators.
      const expected =
        keyword === "multipleOf" ? [] : [expect.objectContaining({ pointer, keyword })];
      expect(errorsOf(writerOf(file), value)).toEqual(expect.arrayContaining(expected));
      expect(errorsOf(writerOf(file), value).length > 0).toBe(keyword !== "multipleOf");
    }
  });
});
