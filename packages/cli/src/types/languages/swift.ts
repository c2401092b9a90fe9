import { inCode } from "../in-code.ts";
import { commented, type Language, oneFile } from "../language.ts";
import { printTypes } from "../print-types.ts";

const exactDecimal = `
/// A decimal of at most two digits after the separator, exact: Foundations that read numbers through
/// binary fractions are corrected.
@propertyWrapper
struct ExactDecimal: Codable {
    var wrappedValue: Decimal

    init(wrappedValue: Decimal) {
        self.wrappedValue = wrappedValue
    }

    init(from decoder: Decoder) throws {
        var read = try decoder.singleValueContainer().decode(Decimal.self)
        var rounded = Decimal()
        NSDecimalRound(&rounded, &read, 2, .plain)
        wrappedValue = rounded
    }

    func encode(to encoder: Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}`;

/** Structs for Codable. */
export const swift: Language = {
  isFolder: false,
  print: async (asked, { header }) => {
    const { text: printed } = await printTypes<"swift">(asked, {
      language: "swift",
      options: { initializers: false },
    });
    const text = printed.replaceAll(/^\/\/ (?!MARK).*\n/gm, "").replaceAll(/^\/\/\n/gm, "");
    const exact = inCode(text, {
      comment: /^\s*\/\//,
      from: /\blet (\w+): Double\b/g,
      to: "@ExactDecimal var $1: Decimal",
    });
    const parts = exact === text ? [text] : [exact.trim(), exactDecimal];
    return oneFile(commented("//", header), parts.join("\n"));
  },
};
