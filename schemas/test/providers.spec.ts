import { validateProviderDocument } from "@countersign/schemas/provider-validator";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { expect, it } from "vitest";
import { errorsOf } from "./schema-files.ts";

it.each([...providersByName])(
  "the document of %s has the shape of its schema",
  (name, document) => {
    expect(errorsOf(validateProviderDocument, document)).toEqual([]);
    expect(document.name).toBe(name);
  },
);

it("every deadline and time of retries of a vendor has a source or is marked as unconfirmed", () => {
  const vendors = [...providersByName.values()].filter(({ sending }) => sending === undefined);
  const facts = vendors.flatMap(({ name, sources, answer, retries, unconfirmed = [] }) =>
    Object.entries({ deadlineSeconds: answer?.deadlineSeconds, retries })
      .filter(([, value]) => value !== undefined)
      .map(([fact]) => ({ name, fact, isBacked: sources !== undefined, unconfirmed })),
  );
  const unbacked = facts.filter(
    ({ fact, isBacked, unconfirmed }) => !isBacked && !unconfirmed.some((one) => one === fact),
  );
  expect(unbacked).toEqual([]);
  const marks = vendors.flatMap(({ name, unconfirmed = [] }) =>
    unconfirmed.map((fact) => `${name} ${fact}`),
  );
  expect(
    marks.filter((mark) => !facts.some(({ name, fact }) => mark === `${name} ${fact}`)),
  ).toEqual([]);
});

it("validateProviderDocument names the place of each unknown member and unknown kind of place", () => {
  const document = providersByName.get("standard-webhooks");
  const broken = { ...document, tolerance: 5, delivery: "headers:X-Id", title: undefined };
  const places = errorsOf(validateProviderDocument, broken).map(
    ({ pointer, keyword }) => `${pointer} ${keyword}`,
  );
  expect(places.toSorted()).toEqual([
    "/delivery pattern",
    "/title required",
    "/tolerance additionalProperties",
  ]);
});

it("validateProviderDocument reports the errors of the form that a part is nearest to", () => {
  const { signature, ...document } = providersByName.get("standard-webhooks") ?? {};
  const errors = (part: unknown): string[] =>
    errorsOf(validateProviderDocument, {
      ...document,
      signature: { ...signature, signed: ["body", part] },
    }).map(({ pointer, message }) => `${pointer} ${message}`);
  expect(errors({ text: 1 })).toEqual(["/signature/signed/1/text must be string"]);
  expect(errors("bodi")).toEqual([
    '/signature/signed/1 must be one of ["id","timestamp","body","url","method","secret"]',
  ]);
  expect(errors(7)).toEqual(["/signature/signed/1 must have one of the described forms"]);
});
