import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { formats } from "../src/formats.ts";
import { keywordFaults } from "../../packages/dev/src/generate/keywords.ts";
import { errorsOf, examplesOf, files, invalidOf, readerOf, writerOf } from "./schema-files.ts";

// An independent judge of the schemas as they are published, multipleOf included.
const oracle = new Ajv2020({
  strict: true,
  strictTypes: false,
  discriminator: false,
  allErrors: true,
  formats,
  multipleOfPrecision: 6,
});
for (const keyword of ["x-open", "x-invalid", "discriminator"]) oracle.addKeyword(keyword);
for (const { schema } of files) oracle.addSchema(schema);

describe("the schemas", () => {
  it("have ids and titles of their own", () => {
    expect(new Set(files.map(({ id }) => id)).size).toBe(files.length);
    expect(new Set(files.map(({ title }) => title)).size).toBe(files.length);
  });

  it("are one file for each resource and each event", () => {
    expect(files.map(({ path }) => path)).toMatchSnapshot();
  });
});

describe.each(files.map((file) => [file.path, file] as const))("%s", (_path, file) => {
  it("names the interface section that it comes from", () => {
    expect(file.schema["description"]).toMatch(/interface(?:'s)? sections? \d/i);
  });

  it("stays inside the subset of keywords", () => {
    expect(keywordFaults(file)).toEqual([]);
  });

  it("has a valid example, and two invalid ones with their reasons", () => {
    expect(examplesOf(file).length).toBeGreaterThanOrEqual(1);
    expect(invalidOf(file).length).toBeGreaterThanOrEqual(2);
    expect(invalidOf(file).every(({ reason }) => reason.length > 5)).toBe(true);
  });

  it.each(examplesOf(file).map((value, index) => [index, value] as const))(
    "takes its valid example %i: writer, reader and oracle",
    (_index, value) => {
      const reader = readerOf(file);
      expect(errorsOf(writerOf(file), value)).toEqual([]);
      expect(reader === undefined ? [] : errorsOf(reader, value)).toEqual([]);
      expect(oracle.validate(file.id, value)).toBe(true);
    },
  );

  it.each(invalidOf(file).map((invalid) => [invalid.reason, invalid] as const))(
    "refuses: %s",
    (_reason, { value, pointer, keyword }) => {
      expect(oracle.validate(file.id, value)).toBe(false);
      // The oracle knows no kinds told apart by a tag: there it says what is wrong for every kind.
      const said = (oracle.errors ?? []).map((error) => error.keyword);
      const wantsOneOf = JSON.stringify(file.schema).includes('"oneOf"') && said.includes("oneOf");
      expect(said).toEqual(expect.arrayContaining([wantsOneOf ? "oneOf" : keyword]));
      // The text of a number is judged elsewhere: by the rules' money, on the source text.
      const wanted =
        keyword === "multipleOf" ? [] : [expect.objectContaining({ pointer, keyword })];
      expect(errorsOf(writerOf(file), value)).toEqual(expect.arrayContaining(wanted));
      expect(errorsOf(writerOf(file), value).length > 0).toBe(keyword !== "multipleOf");
    },
  );
});
