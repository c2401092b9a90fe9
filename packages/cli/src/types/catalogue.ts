import { DocumentError, nameOf } from "@countersign/contract-kit/documents";
import type { CatalogueEntry } from "@countersign/schemas";
import { validationSource } from "@countersign/schemas/validation-source";
import { pointersOf, shapesOf } from "./decimals.ts";
import { commentOf, type Language, oneFile, quoted } from "./language.ts";
import type { TypesModel } from "./types-model.ts";
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
export type CatalogueFacts = Pick<CatalogueEntry<unknown>, "category" | "resource" | "rank">;

/**
 * A module of types and validators that `createReceiver` takes as its `catalogue`.
 *
 * @param facts By types.
 * @param isOwn True for this project's documents, whose formats are judged.
 */
export const typescriptCatalogue = (
  facts: ReadonlyMap<string, CatalogueFacts>,
  isOwn: boolean,
): Language => ({
  isFolder: false,
  comment: "//",
  print: async (model) => {
    const categories = new Map(
      [...facts].flatMap(([type, { category }]) =>
        category === undefined ? [] : [[type, category]],
      ),
    );
    const types = await typescriptTypes(model, amountNumber, categories);
    return oneFile(HEAD, types, await catalogue(model, facts, isOwn));
  },
});

async function catalogue(
  model: TypesModel,
  facts: ReadonlyMap<string, CatalogueFacts>,
  isOwn: boolean,
): Promise<string> {
  const shapes = shapesOf(model);
  const entries = model.events.map(({ type, name: typeName }, index) => {
    const amounts = pointersOf(typeName, shapes);
    const known = Object.entries(facts.get(type) ?? {}).filter(([, fact]) => fact !== undefined);
    const lines = known.map(([name, fact]) => `      ${name}: ${JSON.stringify(fact)},\n`);
    return `    ${quoted(type)}: {
${lines.join("")}      amounts: ${JSON.stringify(amounts)},
      validate: validator(checks[${String(index)}]),
    },`;
  });
  return `${await checks(model, isOwn)}

/** The events of ${commentOf({ description: model.title })}, for \`createReceiver({ provider, catalogue })\`. */
export const catalogue: Catalogue<EventTypeMap> = {
  name: ${quoted(model.title)},
  events: {
${entries.join("\n")}
  },
};`;
}

/**
 * Prints the checks of the types as a list. Inside of a function no name of theirs is that of a type.
 *
 * @throws {DocumentError} `CS_DOCUMENT_INVALID`: a schema is invalid.
 */
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
