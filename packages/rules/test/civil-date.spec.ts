import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dateOf, dayOf } from "../src/business-days.ts";

describe("a date", () => {
  it.each([
    ["1970-01-01", 0],
    ["1969-12-31", -1],
    ["2026-11-21", 20_778],
    ["2026-11-22", 20_779],
    ["2026-11-23", 20_780],
    ["2024-02-29", 19_782],
    ["0000-01-01", -719_528],
    ["0001-01-01", -719_162],
    ["9999-12-31", 2_932_896],
  ])("%s is day %i since 1970-01-01", (date, day) => {
    expect(dayOf(date)).toBe(day);
    expect(dateOf(day)).toBe(date);
  });

  it.each([
    "2026-02-29",
    "2026-02-30",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "2026-1-1",
    "26-01-01",
    "2026-01-01T00:00:00Z",
    "x2026-01-01",
    "-000001-12-31",
    "2026-11-21 ",
    " 2026-11-21",
    "2026/11/21",
    "21 Nov 2026",
    "+010000-01-01",
    "",
  ])("is not %j", (date) => {
    expect(() => dayOf(date)).toThrow(new TypeError(`"${date}" is not a date written YYYY-MM-DD`));
  });

  it("is printed and read back", () => {
    fc.assert(
      fc.property(fc.integer({ min: -719_162, max: 2_932_895 }), (day) => {
        expect(dayOf(dateOf(day))).toBe(day);
      }),
    );
  });
});
