import { DocumentError, type JsonSchema, nameOf } from "@countersign/contract-kit/documents";
import { type CatalogueEntry, pointerOf } from "@countersign/schemas";
import { validationSource } from "@countersign/schemas/validation-source";
import { commentOf, type Language, oneFile, quoted } from "./language.ts";
import { isDecimal, type TypesModel } from "./types-model.ts";
import { type AmountType, typescriptTypes } from "./typescript.ts";

const amountNumber: AmountType = {
  name: "AmountNumber",
  declaration: `/**
 * An amount as a receiver hands it over: a number whose own shortest text is the exact amount, since it
 * refuses every other one. Read it with \`amountCents\` of @countersign/receiver, and never calculate with it.
 */
export type AmountNumber = number;`,
};

// The compiler gives up on the checks of large schemas, which are compiled code. The types count all the same.
const HEAD = `// @ts-nocheck -- the checks at the end are compiled code
import type { Catalogue } from "@countersign/receiver";`;

/** The facts of a type that no schema has. */
export type CatalogueFacts = {
  readonly [Name in "category" | "resource" | "rank"]?: CatalogueEntry<unknown>[Name] | undefined;
};

/** A module of types and validators for `createReceiver`. @param facts By types. @param isOwn True if formats are judged. */
export const typescriptCatalogue = (
  facts: ReadonlyMap<string, CatalogueFacts>,
  isOwn: boolean,
): Language => ({
  isFolder: false,
  comment: "//",
  print: async (model) => {
    const categoryOf = (type: string): string | undefined => facts.get(type)?.category;
    const types = await typescriptTypes(model, amountNumber, categoryOf);
    const entries = model.events.map(({ type, name }, index) => {
      const places = decimalsIn(model.types.get(name) ?? {}, "", { model, above: [] });
      const members = { ...facts.get(type), amounts: [...new Set(places)] };
      const lines = Object.entries(members).map(([member, fact]) =>
        fact === undefined ? "" : `      ${member}: ${JSON.stringify(fact)},\n`,
      );
      return `    ${quoted(type)}: {
${lines.join("")}      validate: validator(checks[${String(index)}]),
    },`;
    });
    const events = `/** The events of ${commentOf({ description: model.title })}, for \`createReceiver({ provider, catalogue })\`. */
export const catalogue: Catalogue<EventTypeMap> = {
  name: ${quoted(model.title)},
  events: {
${entries.join("\n")}
  },
};`;
    return oneFile(HEAD, types, await checks(model, isOwn), events);
  },
});

/** JSON Pointers of the decimals of a value that are at one place: not in lists, maps, or a type inside itself. */
function decimalsIn(
  schema: JsonSchema,
  at: string,
  { model, above }: { readonly model: TypesModel; readonly above: readonly string[] },
): readonly string[] {
  const { $ref: ref, properties = {}, oneOf = [], anyOf = [], allOf = [] } = schema;
  if (ref !== undefined) {
    if (above.includes(ref)) return [];
    const target = model.sources[nameOf(ref)] ?? {};
    return decimalsIn(target, at, { model, above: [...above, ref] });
  }
  return [
    ...(isDecimal(schema) ? [at] : []),
    ...Object.entries(properties).flatMap(([name, part]) =>
      decimalsIn(part, at + pointerOf([name]), { model, above }),
    ),
    ...[...oneOf, ...anyOf, ...allOf].flatMap((kind) => decimalsIn(kind, at, { model, above })),
  ];
}

/** Prints the checks of the types as a list. Inside of a function no name of theirs is that of a type. */
async function checks(model: TypesModel, isOwn: boolean): Promise<string> {
  const { compileStandalone } = await import("./standalone.ts");
  const names = model.events.map(({ name }) => name);
  const others = {
    formats: isOwn,
    nameOf: (ref: string): string =>
      ref.startsWith("#") ? (model.typeNames.get(nameOf(ref)) ?? ref) : ref,
  };
  try {
    // A schema of a document is an object with any keywords.
    const { code, checkOf } = compileStandalone(
      Object.fromEntries<object>(model.types) as Parameters<typeof compileStandalone>[0],
      names,
      "reader",
      others,
    );
    return `const { validator, checks } = (() => {
${validationSource}
${code}
return { validator, checks: [${names.map(checkOf).join(", ")}] as const };
})();`;
  } catch (cause) {
    if (!(cause instanceof Error) || cause instanceof TypeError) throw cause;
    throw new DocumentError("CS_DOCUMENT_INVALID", `invalid schema: ${cause.message}`, { cause });
  }
}
