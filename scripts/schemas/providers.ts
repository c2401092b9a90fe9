import { globSync } from "node:fs";
import { BANNER, readJson, root, type Schema } from "./load.ts";

/** The document of each provider, by its name. */
export type ProviderFiles = Readonly<Record<string, Schema>>;

/**
 * Reads the documents of providers.
 *
 * @throws {Error} A document's name is not that of its file.
 */
export function providerFiles(): ProviderFiles {
  const names = globSync("*.json", { cwd: `${root}schemas/providers` })
    .map((file) => file.slice(0, -".json".length))
    .filter((name) => !name.endsWith(".schema"));
  return Object.fromEntries(
    names.toSorted().map((name) => {
      const { $schema: _, ...document } = readJson(`schemas/providers/${name}.json`) as Schema;
      if (document["name"] !== name) throw new Error(`${name}.json has another "name"`);
      return [name, document];
    }),
  );
}

const constant = (name: string): string =>
  name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** Prints the module of the providers: a frozen constant each, of which a bundler keeps the imported ones. */
export const providersModule = (files: ProviderFiles): string =>
  [
    BANNER,
    'import { freeze } from "../freeze.ts";',
    'import type { ProviderDocument } from "./provider-types.ts";',
    "",
    'export type { ProviderDocument } from "./provider-types.ts";',
    "",
    ...Object.entries(files).flatMap(([name, document]) => [
      `/** ${String(document["title"])}: ${String(document["documentation"])} */`,
      `export const ${constant(name)}: ProviderDocument = /* @__PURE__ */ freeze(${JSON.stringify(document)});`,
    ]),
    "",
  ].join("\n");

/** Prints the module that finds a provider by its name. */
export const providersByNameModule = (files: ProviderFiles): string =>
  [
    BANNER,
    'import type { ProviderDocument } from "./provider-types.ts";',
    'import * as providers from "./providers.ts";',
    "",
    "/** The providers by their names. A Map: no name is found in an object's prototype. */",
    "export const providersByName: ReadonlyMap<string, ProviderDocument> = new Map([",
    ...Object.keys(files).map(
      (name) => `  [${JSON.stringify(name)}, providers.${constant(name)}],`,
    ),
    "]);",
    "",
  ].join("\n");

/** Returns the documents as they are shipped, by path. */
export function shippedProviders(files: ProviderFiles): Record<string, string> {
  const documents = Object.entries({
    ...files,
    "provider.schema": readJson("schemas/providers/provider.schema.json"),
  });
  return Object.fromEntries(
    documents.map(([name, document]) => [
      `schemas/documents/providers/${name}.json`,
      `${JSON.stringify(document)}\n`,
    ]),
  );
}
