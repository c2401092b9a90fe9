import { readFileSync } from "node:fs";
import { BANNER } from "./banner.ts";
import { judgingPart } from "./checks.ts";
import { mapSchema } from "./keywords.ts";
import type { SchemaFile } from "./load.ts";

/** The module of the built-in profiles. */
export function profilesModule(folder: string, names: readonly string[]): string {
  const documents = names.map((name) => {
    const { $schema: _, ...profile } = JSON.parse(
      readFileSync(`${folder}/profiles/${name}.json`, "utf8"),
    ) as Record<string, unknown>;
    return `  ${JSON.stringify(name)}: ${JSON.stringify(profile, null, 2).replaceAll("\n", "\n  ")},`;
  });
  return [
    BANNER,
    'import { freeze } from "../freeze.ts";',
    'import type { Profile } from "./types.ts";',
    "",
    'export type { Profile } from "./types.ts";',
    "",
    "/** The built-in profiles, frozen. */",
    `export const profiles: { ${names.map((name) => `readonly ${JSON.stringify(name)}: Profile`).join("; ")} } = freeze({`,
    ...documents,
    "});",
    "",
  ].join("\n");
}

/**
 * The module of the check that a document is a profile: apart, since most readers of profiles take a
 * built-in one.
 */
export function profileValidatorModule({ schema }: SchemaFile): string {
  const { $id: _, ...judged } = mapSchema(schema, judgingPart);
  return [
    BANNER,
    'import { checkOf } from "../check-of.ts";',
    'import { type Validator, writer } from "../validator.ts";',
    'import type { Profile } from "./types.ts";',
    "",
    "/** Judges a profile's document: closed, all errors at once. */",
    "export const validateProfile: Validator<Profile> = writer(",
    `  checkOf(${JSON.stringify(judged, null, 2).replaceAll("\n", "\n  ")}),`,
    ");",
    "",
  ].join("\n");
}
