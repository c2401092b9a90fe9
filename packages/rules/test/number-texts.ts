import fc from "fast-check";

/**
 * Texts by the grammar of JSON numbers: of the size of amounts, of any size, with many zeros. Built from text, so that no
 * double decides which of them are met.
 */
export const jsonNumberText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^-?(?:0|[1-9]\d{0,9})(?:\.\d{1,2}(?:00)?)?$/) },
  {
    weight: 1,
    arbitrary: fc.stringMatching(/^(?:0|[1-9]\d{0,7})(?:\.\d{1,4}0{0,3})?[eE][+-]?\d{1,2}$/),
  },
  {
    weight: 1,
    arbitrary: fc.stringMatching(
      /^-?(?:0|[1-9]\d{0,24})(?:\.\d{1,24}0{0,3})?(?:[eE][+-]?\d{1,3})?$/,
    ),
  },
);

/** The above, and texts that are one step away from the grammar. */
export const anyNumberText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: jsonNumberText },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom("", "+", "--", "0", " ", '"', "."),
        jsonNumberText,
        fc.constantFrom("", " ", "\n", ".", "e", "e+", "_1", ",0", "f", '"', "\0"),
      )
      .map((parts) => parts.join("")),
  },
  { weight: 1, arbitrary: fc.string() },
);
