import { describe, expect, it } from "vitest";
import { seed } from "../../../../../test/seed.ts";
import { findsBugs, findViolation, firstViolation } from "./campaign.ts";
import { BUGS, plant } from "./planted-bugs.ts";

const WORLDS = 300;
/** One of each kind: of the store, of leases, of queues. The long lane has them all. */
const QUICK = new Set([
  "a completion without the guard by attempts",
  "endpoints taken before a lost membership is renewed",
  "an endpoint kept in memory after it was given back",
]);

describe(`a simulation of the delivery engine (seeds from ${String(seed)})`, () => {
  it(`breaks no rule in ${String(WORLDS)} worlds of crashes, lost commits, stalls, clock steps and failing endpoints`, async () => {
    expect(await firstViolation(seed, WORLDS)).toBeUndefined();
  });

  findsBugs(BUGS.filter(({ name }) => QUICK.has(name)));

  it("reports a broken rule with its seed and the few events that lead to it", async () => {
    const [bug] = BUGS.filter(({ name }) => name === "leases kept by a process that stopped");
    const report = bug && (await findViolation(3, await plant(bug)));
    const [first, endpoints, ...events] = report?.split("\n") ?? [];
    expect(first).toMatch(/^seed 3: p\d\.\d has stopped and keeps its leases, at [\d.]+ s$/);
    expect(endpoints).toMatch(/^endpoints: /);
    // A start and a stop, with what the process does in between.
    expect(events.map((line) => line.split(" ")[1])).toEqual(expect.arrayContaining(["p1.1"]));
    expect(events.length).toBeLessThan(20);
  });
});
