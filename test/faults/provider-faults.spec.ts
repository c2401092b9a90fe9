import { requirements } from "@countersign/contract-kit";
import { expect, test } from "vitest";
import { driftedEdits, readFaults } from "./provider-faults.ts";

const faults = readFaults();

test("every provider fault still fits the sources that it changes", () => {
  expect(driftedEdits(faults)).toEqual([]);
  const [fault] = faults;
  const edits = [["package.json", "no such text", ""]] as const;
  expect(driftedEdits([{ ...fault, id: "gone", breaks: "", edits }])).toHaveLength(1);
});

test("every provider fault names a requirement that fails, or the reason why none does", () => {
  const known = new Set(requirements("provider").map(({ id }) => id));
  const isWrong = ({ fails, missed }: (typeof faults)[number]): boolean =>
    fails === undefined ? missed === undefined : missed !== undefined || !known.has(fails);
  expect(faults.filter(isWrong)).toEqual([]);
});
