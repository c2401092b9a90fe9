import { commented, type Language, oneFile } from "../language.ts";
import { printTypes } from "../print-types.ts";

/** Structs of dry-struct, each with `from_json!`. */
export const ruby: Language = {
  package: { form: /^[A-Z]\w*$/, standard: "Events" },
  isFolder: false,
  print: async (asked, { packageName, header }) => {
    const { text: printed } = await printTypes<"ruby">(asked, {
      language: "ruby",
      options: { namespace: packageName },
    });
    const text = printed
      .replace(/^require 'json'$/m, "require 'bigdecimal'\nrequire 'json'")
      // A Float is refused: it has lost the number's text.
      .replace(
        /^( *)Double ( *)= Strict::Float \| Strict::Integer$/m,
        "$1Decimal$2= Strict::Decimal.constructor { |value| value.is_a?(::Integer) ? BigDecimal(value) : value }",
      )
      .replaceAll("Types::Double", "Types::Decimal")
      .replaceAll("JSON.parse(json)", "JSON.parse(json, decimal_class: BigDecimal)")
      // JSON.generate writes a BigDecimal as text, which would be another event.
      .replaceAll(/\n\n( *)def to_json\(options = nil\)\n.*\n\1end/g, "");
    return oneFile(commented("#", header), text);
  },
};
