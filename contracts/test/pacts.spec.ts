import { fileURLToPath } from "node:url";
import { readPacts, requirements } from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";

const pacts = readPacts([fileURLToPath(new URL("../pacts", import.meta.url))]);
const levels = new Map(requirements().map(({ id, level }) => [id, level]));

describe.each(pacts.map((pact) => [`${pact.consumer} and ${pact.provider}`, pact] as const))(
  "the pact of %s",
  (_name, { interactions }) => {
    it("names a requirement that there is in each interaction, with its level", () => {
      const told = interactions.map(({ requirement = "", level }) => [requirement, level]);
      const known = interactions.map(({ requirement = "" }) => [
        requirement,
        levels.get(requirement),
      ]);
      expect(told).toEqual(known);
    });

    it("describes each interaction once, in one state", () => {
      const descriptions = interactions.map(({ description }) => description);
      expect(new Set(descriptions).size).toBe(descriptions.length);
      expect(interactions.filter(({ states }) => states.length !== 1)).toEqual([]);
    });
  },
);
