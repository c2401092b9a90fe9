import { compile } from "json-schema-to-typescript";
import { BANNER, readJson, type Schema } from "./load.ts";
import { readonly } from "../../packages/cli/src/types/typescript.ts";

/** Prints the types of a provider's document. */
export async function providerTypes(): Promise<string> {
  const schema = readJson("schemas/providers/provider.schema.json");
  // A description next to a reference would make another type of each.
  const text = JSON.stringify(schema, (_, part: Schema) =>
    typeof part?.["$ref"] === "string" ? { $ref: part["$ref"] } : part,
  );
  const types = await compile(JSON.parse(text) as Schema, "ProviderDocument", {
    bannerComment: BANNER,
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
  });
  return readonly(types)
    .replaceAll(/(?<!readonly )\b(\w+)\[\]/g, "readonly $1[]")
    .replaceAll(/\n *\*\n *\* @m\w+ \d+/g, "")
    .replaceAll(/\n *\/\*\*\n *\* @m\w+ \d+\n *\*\//g, "");
}
