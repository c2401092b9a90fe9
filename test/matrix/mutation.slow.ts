import { describe, expect, it } from "vitest";
import { drawn, seed } from "../seed.ts";
import { baselineOf, noticedOf, writeMutants } from "./mutants.ts";
import survivors from "./survivors.json" with { type: "json" };

const mutants = await writeMutants();
const argued: Readonly<Record<string, string>> = {
  ...survivors.equivalent,
  ...survivors.unnoticed,
};
const noticeable = mutants.filter(({ name }) => argued[name] === undefined);

describe("mutants of good receivers", () => {
  it.each(drawn(noticeable, 1))(
    `fail a check of the kit: $name, with seed ${seed}`,
    async (mutant) => {
      expect(await noticedOf(mutant, await baselineOf(mutant.file))).not.toEqual({});
    },
  );

  it("have no explanation for a survivor that no longer exists", () => {
    const names = mutants.map(({ name }) => name);
    const reasons = Object.values(survivors).flatMap((one) => Object.keys(one));
    expect(reasons.filter((name) => !names.includes(name))).toEqual([]);
  });
});
