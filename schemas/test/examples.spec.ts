import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
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

const folder = fileURLToPath(new URL("..", import.meta.url));

/** The shipped documents below a folder, in an Ajv with two formats that fails where Ajv would warn. */
function compiled(below: string): ReadonlyMap<string, ValidateFunction> {
  const fail = (...words: unknown[]): never => {
    throw new Error(words.join(" "));
  };
  const ajv = new Ajv2020({
    allErrors: true,
    formats: { "date-time": isTimestamp, uri: isHttpUrl },
    logger: { log: fail, warn: fail, error: fail },
  });
  const documents = globSync(`${below}/**/*.schema.json`, { cwd: folder }).map(
    (path) => [path, JSON.parse(readFileSync(folder + path, "utf8")) as { $id: string }] as const,
  );
  for (const [, document] of documents) ajv.addSchema(document);
  return new Map(
    documents.map(([path, { $id }]) => {
      const validate = ajv.getSchema($id);
      if (validate === undefined) throw new Error(`${path} has no schema`);
      return [path.slice(below.length + 1), validate];
    }),
  );
}

const closed = compiled("documents");
const open = compiled("reader");

it("the shipped JSON Schemas compile in Ajv without a warning", () => {
  // The schema of providers is not among those of the interface.
  expect(closed.size).toBe(files.length + 1);
  expect(open.size).toBe(files.length - 6);
});

describe.each(files.map((file) => [file.path, file] as const))("the schema %s", (path, file) => {
  const [writer, reader = writer] = [writerOf(file), readerOf(file)];
  const isClosedTo = (value: unknown): boolean => closed.get(path)?.(value) === false;
  const isOpenTo = (value: unknown): boolean => open.get(path)?.(value) ?? true;

  it("accepts its examples, by its validators and in Ajv, of either side", () => {
    expect(examplesOf(file).length).toBeGreaterThanOrEqual(1);
    for (const value of examplesOf(file)) {
      expect([writer, reader].flatMap((validator) => errorsOf(validator, value))).toEqual([]);
      expect([value, isClosedTo(value), isOpenTo(value)]).toEqual([value, false, true]);
    }
  });

  it("[P-VERSION-ADDITIVE] lets readers accept unknown members at every level of its examples, and writers refuse them", () => {
    for (const value of examplesOf(file).filter((one) => typeof one === "object")) {
      const more = grown(value);
      expect([value, isClosedTo(more), isOpenTo(more)]).toEqual([value, true, true]);
      const keywords = errorsOf(writer, more).map(({ keyword }) => keyword);
      expect(keywords).toContain("additionalProperties");
      if (reader !== writer) expect(reader(more)).toMatchObject({ ok: true });
    }
  });

  it("refuses two examples or more, each for its reason, by the writer's validator and Ajv", () => {
    expect(invalidOf(file).length).toBeGreaterThanOrEqual(2);
    for (const { value, pointer, keyword, reason } of invalidOf(file)) {
      expect(reason.length).toBeGreaterThan(5);
      // The rules' money judges the text of a number, not validators, which divide.
      const isJudged = keyword !== "multipleOf";
      expect([reason, isClosedTo(value)]).toEqual([reason, isJudged]);
      const errors = errorsOf(writer, value);
      expect([reason, errors.length > 0]).toEqual([reason, isJudged]);
      if (!isJudged) continue;
      expect(errors).toContainEqual(expect.objectContaining({ pointer, keyword }));
      // Ajv has no discriminators here: it reports the faults of every kind.
      const said = (closed.get(path)?.errors ?? []).map((error) => error.keyword);
      expect(said).toContain(said.includes("oneOf") ? "oneOf" : keyword);
    }
  });

  it("refuses for readers in Ajv no value that the reader's validator accepts", () => {
    const accepted = invalidOf(file).filter(({ value }) => readerOf(file)?.(value).ok === true);
    expect(accepted.filter(({ value }) => !isOpenTo(value))).toEqual([]);
  });
});

it("the shipped JSON Schemas for readers accept a value that is added to an open list", () => {
  const refund = { paymentId: "ref_1", paymentStatus: "REVIEWED", clientReferenceId: null };
  expect(open.get("resources/refund.schema.json")?.(refund)).toBe(true);
  expect(closed.get("resources/refund.schema.json")?.(refund)).toBe(false);
});

it("an amount is accepted as a number for every cent from 0.01 to 999.99 [P-REFUND-AMOUNT]", () => {
  // `multipleOf: 0.01`, which no validator and no shipped schema has, refuses about every sixth of them.
  const amount = files.find(({ title }) => title === "Amount");
  const writer = amount && writerOf(amount);
  const refused = Array.from({ length: 99_999 }, (_, index) => Number(`${index + 1}e-2`))
    .map((value) => ({ currency: "USD", value }))
    .filter(
      (value) =>
        writer?.(value).ok !== true || closed.get("resources/amount.schema.json")?.(value) !== true,
    );
  expect(refused).toEqual([]);
});
