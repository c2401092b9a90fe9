import { inCode } from "../in-code.ts";
import { commented, DOTTED, type Language, oneFile } from "../language.ts";
import { printTypes } from "../print-types.ts";

/** Data classes for Jackson, each with `fromJson`. */
export const kotlin: Language = {
  package: { form: DOTTED, standard: "events" },
  isFolder: false,
  print: async (asked, { packageName, header }) => {
    const { text: printed } = await printTypes<"kotlin">(asked, {
      language: "kotlin",
      options: { framework: "jackson", package: packageName },
    });
    const text = printed
      // The older name is gone from Jackson; and members are added without notice.
      .replace(
        "propertyNamingStrategy = PropertyNamingStrategy.LOWER_CAMEL_CASE",
        "propertyNamingStrategy = PropertyNamingStrategies.LOWER_CAMEL_CASE\n" +
          "    configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false)\n" +
          "    configure(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN, true)",
      );
    const exact = inCode(text, {
      comment: /^\s*(?:\*|\/)/,
      from: /\bDouble\b/g,
      to: "java.math.BigDecimal",
    });
    return oneFile(commented("//", header), exact);
  },
};
