import fc from "fast-check";

const NON_ZERO = ["1", "2", "3", "4", "5", "6", "7", "8", "9"] as const;

const digits = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom("0", ...NON_ZERO), maxLength });

const nonZero = fc.constantFrom(...NON_ZERO);
const whole = fc.oneof(
  { weight: 2, arbitrary: fc.constant("0") },
  {
    weight: 6,
    arbitrary: fc.tuple(nonZero, digits(9)).map(([first, rest]) => first + rest),
  },
  { weight: 1, arbitrary: fc.tuple(nonZero, digits(25)).map(([first, rest]) => first + rest) },
);
const fraction = fc.oneof(
  { weight: 2, arbitrary: fc.constant("") },
  { weight: 4, arbitrary: digits(2).map((text) => `.${text}`) },
  { weight: 1, arbitrary: fc.tuple(digits(20), digits(4)).map(([a, b]) => `.${a}${b}000`) },
  { weight: 1, arbitrary: digits(2).map((text) => `.${text}00`) },
);
const power = fc.tuple(
  fc.constantFrom("e", "E"),
  fc.constantFrom("", "+", "-"),
  fc.oneof(fc.nat(12), fc.nat(400)).map(String),
);
const exponent = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: power.map((parts) => parts.join("")) },
);

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Texts by the grammar of JSON numbers: all its branches, short and long digits. Built from text, so
 * that no double decides which of them are met.
 */
export const jsonNumberText: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom("", "", "", "-"), whole, fraction, exponent)
  .map((parts) => parts.join(""))
  // Drops the lone separator, which only `anyNumberText` is to hold.
  .map((text) => (JSON_NUMBER.test(text) ? text : text.replace(".", "")));

/** The above, and texts that are one step away from the grammar. */
export const anyNumberText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: jsonNumberText },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom("", "+", "--", "0", " ", '"', "."),
        fc.tuple(whole, fraction, exponent).map((parts) => parts.join("")),
        fc.constantFrom("", " ", "\n", ".", "e", "e+", "_1", ",0", "f", '"', "\0"),
      )
      .map((parts) => parts.join("")),
  },
  { weight: 1, arbitrary: fc.string() },
);
