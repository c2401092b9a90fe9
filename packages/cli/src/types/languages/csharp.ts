import { commented, DOTTED, type Language, oneFile } from "../language.ts";
import { printTypes } from "../print-types.ts";

/** Classes for System.Text.Json, each with `FromJson`. */
export const csharp: Language = {
  package: { form: DOTTED, standard: "Events" },
  isFolder: false,
  print: async (asked, { packageName, header }) => {
    const { text: printed } = await printTypes<"csharp">(asked, {
      language: "csharp",
      options: {
        framework: "SystemTextJson",
        // Exact, and keeps the text's digits.
        "number-type": "decimal",
        "array-type": "list",
        namespace: packageName,
      },
    });
    const text = printed;
    // Members without a value until they are read are no mistake here.
    const pragmas = "#nullable enable\n#pragma warning disable CS8618, CS8601, CS8603";
    return oneFile(
      commented("//", header),
      `${pragmas}\n\n${text.replaceAll("#nullable enable\n", "")}`,
    );
  },
};
