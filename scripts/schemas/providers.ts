// Prints documents as frozen constants: a JSON module is neither frozen nor left out by a user's bundler.
import { globSync } from "node:fs";
import { BANNER, readJson, root, type Schema } from "./load.ts";

/** Documents by their names. */
export type Documents = Readonly<Record<string, Schema>>;

/**
 * Reads the documents of a folder of `schemas/`: providers or profiles.
 *
 * @throws {Error} A document's name is not that of its file.
 */
export function readDocuments(folder: "providers" | "profiles"): Documents {
  const names = globSync("*.json", { cwd: `${root}schemas/${folder}` })
    .map((file) => file.slice(0, -".json".length))
    .filter((name) => !name.endsWith(".schema"));
  return Object.fromEntries(
    names.toSorted().map((name) => {
      const { $schema: _, ...document } = readJson(`schemas/${folder}/${name}.json`) as Schema;
      if (document["name"] !== name) throw new Error(`${name}.json has another "name"`);
      return [name, document];
    }),
  );
}

/** Prints a module with a frozen constant for each document, of which a bundler keeps the imported ones. */
export const constantsModule = (documents: Documents, type: string, types: string): string =>
  [
    BANNER,
    'import { freeze } from "../freeze.ts";',
    `import type { ${type} } from "${types}";`,
    "",
    `export type { ${type} } from "${types}";`,
    "",
    ...Object.entries(documents).flatMap(([name, document]) => [
      `/** ${aboutOf(name, document)} */`,
      `export const ${constant(name)}: ${type} = /* @__PURE__ */ freeze(${JSON.stringify(document)});`,
    ]),
    "",
  ].join("\n");

const aboutOf = (name: string, { title, documentation }: Schema): string =>
  typeof title === "string" ? `${title}: ${String(documentation)}` : `The profile ${name}.`;
const constant = (name: string): string =>
  name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
