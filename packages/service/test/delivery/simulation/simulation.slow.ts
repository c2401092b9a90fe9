import { describe, expect, it } from "vitest";
import { seed } from "../../../../../test/seed.ts";
import { findsBugs, firstViolation } from "./campaign.ts";
import { BUGS } from "./planted-bugs.ts";

const WORLDS = 10_000;

describe(`a long simulation of the delivery engine (seeds from ${String(seed)})`, () => {
  it(`breaks no rule in ${String(WORLDS)} worlds of crashes, lost commits, stalls, clock steps and failing endpoints`, async () => {
    expect(await firstViolation(seed, WORLDS)).toBeUndefined();
  });

  findsBugs(BUGS);
});
