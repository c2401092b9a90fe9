import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import type { ProviderDocument } from "../src/generated/providers.ts";
import { providersByName } from "../src/generated/providers-by-name.ts";

const schema = new URL("../providers/provider.schema.json", import.meta.url);
const ajv = new Ajv2020({ strict: true, allErrors: true });
const validate = ajv.compile<ProviderDocument>(JSON.parse(readFileSync(schema, "utf8")) as object);

it.each([...providersByName])("the document of %s fits its schema", (name, document) => {
  validate(document);
  expect(validate.errors).toBeNull();
  expect(document.name).toBe(name);
});

it("rejects a document with an unknown member or a place of an unknown kind", () => {
  const document = providersByName.get("standard-webhooks");
  expect(validate({ ...document, tolerance: 5 })).toBe(false);
  expect(validate({ ...document, delivery: "headers:X-Id" })).toBe(false);
});
