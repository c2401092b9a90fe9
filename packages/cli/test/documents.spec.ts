import { expect, it } from "vitest";
import { filterNote, readDocument } from "../src/documents.ts";

const documentOf = (schema: object) =>
  readDocument({
    openapi: "3.1.0",
    webhooks: { paid: { post: { requestBody: { content: { "application/json": { schema } } } } } },
  });

it("a note names the keywords that bodies of a document are only filtered by", async () => {
  const schema = { properties: { a: { not: { const: 1 } }, b: { uniqueItems: true, items: {} } } };
  expect(filterNote(await documentOf(schema))).toBe(
    "bodies are not made of not, uniqueItems: these only filter them",
  );
  expect(filterNote(await documentOf({ properties: { a: { type: "string" } } }))).toBeUndefined();
});
