import { commented, type Language, oneFile } from "../language.ts";
import { printTypes } from "../print-types.ts";

const SERDE = "rust_decimal::serde::arbitrary_precision";

/** Structs for serde. */
export const rust: Language = {
  isFolder: false,
  print: async (asked, { header }) => {
    const { text: printed } = await printTypes<"rust">(asked, {
      language: "rust",
      options: {
        visibility: "public",
        "derive-debug": true,
        "derive-clone": true,
        "derive-partial-eq": true,
        "leading-comments": false,
      },
    });
    const text = printed
      // The feature that these modules need makes serde_json keep the number's text.
      .replaceAll(
        /^( *)pub (\w+): f64,$/gm,
        `$1#[serde(with = "${SERDE}")]\n$1pub $2: rust_decimal::Decimal,`,
      )
      .replaceAll(
        /^( *)pub (\w+): Option<f64>,$/gm,
        `$1#[serde(default, with = "${SERDE}_option")]\n$1pub $2: Option<rust_decimal::Decimal>,`,
      );
    const needs = [
      "",
      'Needs serde with "derive", serde_json, and rust_decimal with "serde-with-arbitrary-precision".',
    ];
    return oneFile(commented("//", [...header, ...needs]), text);
  },
};
