import { describe, expect, it } from "vitest";
import { FoundRows } from "../src/timeline/found-rows.ts";
import { allRows, type ShownRows } from "../src/timeline/shown-rows.ts";
import type { Row } from "../src/timeline/timeline-store.ts";

const row = (number: number): Row => ({
  id: `e${String(number)}`,
  type: number % 3 === 0 ? "refund.pending" : "refund.failed",
  category: "PAYMENT",
  timestamp: "2026-11-20T15:00:00.000Z",
  subject: null,
  states: new Map(),
  text: "",
});
/** Rows from one number up to, but not including, another. */
const numbered = (first: number, end: number) => ({
  first,
  rows: Array.from({ length: end - first }, (_, index) => row(first + index)),
});
const open = (onLook = (): void => undefined) =>
  new FoundRows((one) => {
    onLook();
    return one.type === "refund.pending";
  });
const never = () => false;
/** The newest last, as in the list. */
const rowsOf = ({ count, at }: ShownRows) =>
  Array.from({ length: count }, (_, place) => at(place) ?? row(Number.NaN)).toReversed();
const idsOf = (shown: ShownRows) => rowsOf(shown).map(({ id }) => id);

describe("the rows that match a filter", () => {
  it("are in the order of the list", () => {
    const found = open();
    const list = numbered(-4, 7);
    expect(found.look(list, never)).toBe(true);
    expect(idsOf(found.shown(list))).toEqual(["e-3", "e0", "e3", "e6"]);
  });

  it("are found as rows arrive at either end, each tested once", () => {
    let looks = 0;
    const found = open(() => (looks += 1));
    found.look(numbered(0, 4), never);
    found.look(numbered(0, 7), never);
    const list = numbered(-3, 7);
    found.look(list, never);
    expect(idsOf(found.shown(list))).toEqual(["e-3", "e0", "e3", "e6"]);
    expect(looks).toBe(10);
  });

  it("are the current versions of the rows that remain", () => {
    const found = open();
    found.look(numbered(0, 7), never);
    const later = numbered(3, 9);
    const changed = { ...later, rows: later.rows.map((one) => ({ ...one, subject: "now" })) };
    found.look(changed, never);
    expect(rowsOf(found.shown(changed)).map(({ id, subject }) => [id, subject])).toEqual([
      ["e3", "now"],
      ["e6", "now"],
    ]);
  });

  it("are searched from the newest on, until the search is late", () => {
    const found = open();
    const list = numbered(0, 1000);
    let looks = 0;
    const isLate = () => (looks += 1) === 1;
    expect(found.look(list, isLate)).toBe(false);
    expect(idsOf(found.shown(list))[0]).toBe("e750");
    expect(found.look(list, isLate)).toBe(true);
    expect(found.shown(list).count).toBe(334);
  });

  it("are searched again in a list without a row of the previous one", () => {
    const found = open();
    found.look(numbered(0, 7), never);
    const list = numbered(20, 25);
    expect(found.look(list, never)).toBe(true);
    expect(idsOf(found.shown(list))).toEqual(["e21", "e24"]);
  });

  it("have a place by their numbers", () => {
    const found = open();
    const list = numbered(0, 10);
    found.look(list, never);
    const shown = found.shown(list);
    expect([9, 6, 0, 8, -3, 12].map(shown.placeOf)).toEqual([0, 1, 3, -1, -1, -1]);
    expect([9, 0, 10, -1].map(allRows(list).placeOf)).toEqual([0, 9, -1, -1]);
  });
});
