import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitrary } from "../src/derive/arbitrary.ts";
import { refusals, standard } from "./oracle.ts";

describe("an arbitrary", () => {
  it.each(standard.paths)(
    "generates 10,000 values that Ajv accepts for %s",
    (path) => {
      const at = standard.document(path);
      fc.assert(
        fc.property(arbitrary(at), (value) => {
          expect(refusals(at, value)).toEqual([]);
        }),
        { numRuns: 10_000 },
      );
    },
    300_000,
  );
});
