import { readFileSync } from "node:fs";
import { validateProfile } from "@countersign/schemas/profile-validator";
import { sendingProviderOf } from "@countersign/schemas/provider-of";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { files } from "./schema-files.ts";

describe.each(["standard", "x-signature"] as const)("the profile %s", (name) => {
  const profile: Profile = profiles[name];

  it("equals its document, fits its schema, and cannot be changed", () => {
    const { $schema: _, ...document } = JSON.parse(
      readFileSync(new URL(`../profiles/${name}.json`, import.meta.url), "utf8"),
    ) as Record<string, unknown>;
    expect(profile).toEqual(document);
    expect(validateProfile(profile)).toMatchObject({ ok: true });
    expect(() => Object.assign(profile.hold, { businessDays: 0 })).toThrow(TypeError);
  });

  it("has the moves of customers of S 3.2", () => {
    const moves = profile.customer.transitions.map(({ from, to }) => `${from} to ${to}`);
    expect(moves.toSorted()).toEqual([
      "ACTIVE to INACTIVE",
      "CREATED to ACTIVE",
      "CREATED to INACTIVE",
      "INACTIVE to ACTIVE",
    ]);
  });
});

describe("the reference provider's catalogue", () => {
  it("has a schema for each event, and an event for each schema", () => {
    const schemas = files.flatMap(
      ({ path }) => /^events\/(\w+\.\w+)\.schema\.json$/.exec(path)?.[1] ?? [],
    );
    const types = sendingProviderOf(profiles.standard).catalogue.map(({ type }) => type);
    expect(types.toSorted()).toEqual(schemas.toSorted());
  });
});
