import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { examplesOf, files, grown, invalidOf, readerOf } from "./schema-files.ts";

const folder = fileURLToPath(new URL("..", import.meta.url));

/** The shipped documents below a folder, in an Ajv with two formats that fails where Ajv would warn. */
function compiled(below: string): ReadonlyMap<string, ValidateFunction> {
  const fail = (...words: unknown[]): never => {
    throw new Error(words.join(" "));
  };
  const formats = { "date-time": true, uri: true } as const;
  const ajv = new Ajv2020({ formats, logger: { log: fail, warn: fail, error: fail } });
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

describe("the shipped JSON Schemas", () => {
  it("compile in Ajv with the formats date-time and uri, without a warning", () => {
    // The schema of providers is not among those of the interface.
    expect(closed.size).toBe(files.length + 1);
    expect(open.size).toBe(files.length - 6);
  });

  it("accept every amount from 0.01 to 99,999.99 in Ajv with its defaults", () => {
    const validate = closed.get("resources/amount.schema.json");
    const refused: number[] = [];
    for (let cents = 1; cents <= 9_999_999; cents += 1)
      if (validate?.({ currency: "USD", value: cents / 100 }) !== true) refused.push(cents);
    expect(refused).toEqual([]);
  });

  it("accept every example, closed and for readers", () => {
    for (const file of files)
      for (const value of examplesOf(file))
        for (const validate of [closed.get(file.path), open.get(file.path)])
          expect([file.path, validate?.(value) ?? true]).toEqual([file.path, true]);
  });
});

describe("the JSON Schemas for readers", () => {
  it("[P-VERSION-ADDITIVE] accept members that are added anywhere; the closed ones refuse them", () => {
    const judged = files.flatMap((file) =>
      examplesOf(file)
        .filter((example) => typeof example === "object")
        .map(grown)
        .map((value) => ({
          path: file.path,
          isOpen: open.get(file.path)?.(value) ?? true,
          isClosed: closed.get(file.path)?.(value) === false,
        })),
    );
    expect(judged.filter(({ isOpen, isClosed }) => !isOpen || !isClosed)).toEqual([]);
  });

  it("[P-VERSION-ADDITIVE] accept a value that is added to an open list", () => {
    const refund = { paymentId: "ref_1", paymentStatus: "REVIEWED", clientReferenceId: null };
    expect(open.get("resources/refund.schema.json")?.(refund)).toBe(true);
    expect(closed.get("resources/refund.schema.json")?.(refund)).toBe(false);
  });

  it("refuse no value that the readers' validators accept", () => {
    const refused = files.flatMap((file) =>
      invalidOf(file)
        .map(({ value }) => value)
        .filter((value) => readerOf(file)?.(value).ok === true)
        .filter((value) => open.get(file.path)?.(value) === false),
    );
    expect(refused).toEqual([]);
  });
});
