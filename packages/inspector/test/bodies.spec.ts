import { describe, expect, it } from "vitest";
import { Bodies, MAX_CHARACTERS, MAX_EVENTS } from "../src/timeline/bodies.ts";

describe("C9 the payloads that a page keeps", () => {
  it("are the newest 1,000", () => {
    const bodies = new Bodies();
    for (let count = 0; count < 100_000; count += 1) bodies.set(`evt_${String(count)}`, "{}");
    expect(bodies.size).toBe(MAX_EVENTS);
    expect(bodies.get("evt_99999")).toBe("{}");
    expect(bodies.get("evt_98999")).toBeUndefined();
  });

  it("are at most 50 MB", () => {
    const bodies = new Bodies();
    const body = "x".repeat(1_000_000);
    for (let count = 0; count < 100; count += 1) bodies.set(`evt_${String(count)}`, body);
    expect(bodies.characters).toBeLessThanOrEqual(MAX_CHARACTERS);
    expect(bodies.size).toBe(25);
    bodies.set("evt_huge", "x".repeat(MAX_CHARACTERS + 1));
    expect([bodies.size, bodies.characters]).toEqual([0, 0]);
  });

  it("count once, however often an event is told", () => {
    const bodies = new Bodies();
    for (const text of ["12345", "123", "1"]) bodies.set("evt_1", text);
    expect([bodies.size, bodies.characters]).toEqual([1, 1]);
  });
});
