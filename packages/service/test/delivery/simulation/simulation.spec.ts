import { describe, expect, it } from "vitest";
import { seed } from "../../../../../test/seed.ts";
import { ciAfter } from "../../../../../test/tags.ts";
import { BUGS, withBug } from "./planted-bugs.ts";
import { findViolation, firstViolation } from "./simulation.ts";

describe(`a simulation of the delivery engine (seeds from ${String(seed)})`, () => {
  for (const [index, worlds] of [40, 150].entries())
    it(
      `breaks no rule in ${String(worlds)} worlds of crashes, lost commits, stalls, clock steps and failing endpoints`,
      { tags: ciAfter(1, index) },
      async () => {
        expect(await firstViolation(seed, worlds)).toBeUndefined();
      },
    );

  // The worlds are fixed, since some bugs appear only in a few of the first 300.
  it.each(BUGS)("finds $name", { tags: "ci" }, async (bug) => {
    const found = await findViolation(0, 300, withBug(bug));
    expect(found?.rule).toMatch(bug.rule);
  });
});
