import { checkProviderDocument } from "@countersign/schemas/provider-validator";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { expect, it } from "vitest";
import { errorsOf } from "./schema-files.ts";

it.each([...providersByName])(
  "the document of %s has the shape of its schema",
  (name, document) => {
    expect(errorsOf(checkProviderDocument, document)).toEqual([]);
    expect(document.name).toBe(name);
  },
);

it("checkProviderDocument names the place of each unknown member and unknown kind of place", () => {
  const document = providersByName.get("standard-webhooks");
  const broken = { ...document, tolerance: 5, delivery: "headers:X-Id", title: undefined };
  const places = errorsOf(checkProviderDocument, broken).map(
    ({ pointer, keyword }) => `${pointer} ${keyword}`,
  );
  expect(places.toSorted()).toEqual([
    "/delivery pattern",
    "/title required",
    "/tolerance additionalProperties",
  ]);
});
