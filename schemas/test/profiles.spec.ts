import { readFileSync } from "node:fs";
import { validateProfile } from "@countersign/schemas/profile-validator";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { files } from "./schema-files.ts";

const documents = ["standard", "x-signature"] as const;

describe.each(documents)("the profile %s", (name) => {
  const profile: Profile = profiles[name];

  it("is its document, word by word", () => {
    const { $schema: _, ...document } = JSON.parse(
      readFileSync(new URL(`../profiles/${name}.json`, import.meta.url), "utf8"),
    ) as Record<string, unknown>;
    expect(profile).toEqual(document);
  });

  it("fits the profile's schema", () => {
    expect(validateProfile(profile)).toMatchObject({ ok: true });
  });

  it("gives the evidence of every choice", () => {
    const { name: _, evidence, ...choices } = profile;
    const isCovered = (pointer: string): boolean => pointer in evidence;
    // A choice is covered as a whole, or each of its members is.
    const uncovered = Object.entries(choices).flatMap(([choice, members]) =>
      isCovered(`/${choice}`)
        ? []
        : Object.keys(members)
            .map((member) => `/${choice}/${member}`)
            .filter((pointer) => !isCovered(pointer)),
    );
    expect(uncovered).toEqual([]);
  });

  it("points with its evidence at choices that exist", () => {
    const found = Object.keys(profile.evidence).filter((pointer) => {
      const value = pointer
        .slice(1)
        .split("/")
        .reduce<unknown>((at, member) => (at as Record<string, unknown>)[member], profile);
      return value === undefined;
    });
    expect(found).toEqual([]);
  });

  it("cannot be changed", () => {
    expect(() => Object.assign(profile.signature, { toleranceSeconds: 0 })).toThrow(TypeError);
  });
});

describe("the standard profile's catalogue", () => {
  it("has a schema for each event, and an event for each schema", () => {
    const schemas = files
      .map(({ path }) => /^events\/(\w+\.\w+)\.schema\.json$/.exec(path)?.[1])
      .filter((type) => type !== undefined);
    expect(profiles.standard.catalogue.map(({ type }) => type).toSorted()).toEqual(
      schemas.toSorted(),
    );
  });
});

describe("the profile x-signature", () => {
  it("differs from the standard one: nothing is hard-wired", () => {
    const keys = Object.keys(profiles.standard) as (keyof Profile)[];
    const differing = keys.filter(
      (key) =>
        JSON.stringify(profiles.standard[key]) !== JSON.stringify(profiles["x-signature"][key]),
    );
    expect(differing).toEqual(
      expect.arrayContaining(["signature", "envelope", "catalogue", "statuses", "headers"]),
    );
  });
});
