import { readFileSync } from "node:fs";
import { validateProfile } from "@countersign/schemas/profile-validator";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { files } from "./schema-files.ts";

const valueAt = (pointer: string, root: unknown): unknown =>
  pointer
    .slice(1)
    .split("/")
    .reduce<unknown>((at, member) => (at as Record<string, unknown>)[member], root);

describe.each(["standard", "x-signature"] as const)("the profile %s", (name) => {
  const profile: Profile = profiles[name];

  it("equals its document, fits its schema, and cannot be changed", () => {
    const { $schema: _, ...document } = JSON.parse(
      readFileSync(new URL(`../profiles/${name}.json`, import.meta.url), "utf8"),
    ) as Record<string, unknown>;
    expect(profile).toEqual(document);
    expect(validateProfile(profile)).toMatchObject({ ok: true });
    expect(() => Object.assign(profile.signature, { toleranceSeconds: 0 })).toThrow(TypeError);
  });

  it("gives the evidence of every choice, and only of choices that exist", () => {
    const { name: _, evidence, ...choices } = profile;
    // A choice has evidence as a whole, or each of its members has.
    const uncovered = Object.entries(choices)
      .filter(([choice]) => !(`/${choice}` in evidence))
      .flatMap(([choice, members]) => Object.keys(members).map((one) => `/${choice}/${one}`))
      .filter((pointer) => !(pointer in evidence));
    expect(uncovered).toEqual([]);
    const pointers = Object.keys(evidence);
    expect(pointers.filter((pointer) => valueAt(pointer, profile) === undefined)).toEqual([]);
  });
});

describe("the standard profile's catalogue", () => {
  it("has a schema for each event, and an event for each schema", () => {
    const schemas = files.flatMap(
      ({ path }) => /^events\/(\w+\.\w+)\.schema\.json$/.exec(path)?.[1] ?? [],
    );
    const types = profiles.standard.catalogue.map(({ type }) => type);
    expect(types.toSorted()).toEqual(schemas.toSorted());
  });
});

describe("the profile x-signature", () => {
  it("differs from the standard one in every kind of choice", () => {
    const [one, other] = [profiles.standard, profiles["x-signature"]];
    for (const key of ["signature", "envelope", "catalogue", "statuses", "headers"] as const)
      expect([key, other[key]]).not.toEqual([key, one[key]]);
  });
});
