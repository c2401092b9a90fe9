import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitrary } from "../src/derive/arbitrary.ts";
import { refusals, standard } from "./oracle.ts";

describe("the arbitrary of", () => {
  it.each(standard.paths)(
    "%s generates 10,000 values that the oracle takes",
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
