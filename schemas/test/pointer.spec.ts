import { pointerOf, stepsOf, valueAt, withValueAt } from "@countersign/schemas";
import fc from "fast-check";
import { expect, it } from "vitest";

const name = fc.oneof(fc.constantFrom("~", "/", "~1", "", "__proto__", "constructor"), fc.string());

it("a pointer leads back to its names, and to the value that is put there", () => {
  fc.assert(
    fc.property(fc.array(name, { minLength: 1 }), (names) => {
      const pointer = pointerOf(names);
      expect(stepsOf(pointer)).toEqual(names);
      expect(valueAt(withValueAt({}, names, 7), pointer)).toBe(7);
    }),
  );
});

it("a pointer leads to items, and to no inherited member", () => {
  const value = { list: [{ "a/b": 1 }] };
  expect(valueAt(value, "/list/0/a~1b")).toBe(1);
  for (const pointer of ["/list/length", "/list/1", "/constructor", "/list/0/a~1b/0"])
    expect([pointer, valueAt(value, pointer)]).toEqual([pointer, undefined]);
  expect(valueAt(value, "")).toBe(value);
});

it("a value is put into a copy, and undefined removes a member", () => {
  const value = { a: [{ b: 1, c: 2 }] };
  expect(withValueAt(value, ["a", 0, "b"], 7)).toEqual({ a: [{ b: 7, c: 2 }] });
  expect(withValueAt(value, ["a", 0, "b"], undefined)).toEqual({ a: [{ c: 2 }] });
  expect(value).toEqual({ a: [{ b: 1, c: 2 }] });
});
