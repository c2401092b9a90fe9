import { readFileSync } from "node:fs";
import { BANNER } from "./banner.ts";

/** The module of the built-in profiles, and of the check that a profile is one. */
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
    'import { checks } from "../../checks/profile-check.js";',
    'import { type Validator, writer } from "../validator.ts";',
    'import type { Profile } from "./types.ts";',
    "",
    'export type { Profile } from "./types.ts";',
    "",
    "/** The built-in profiles, frozen. */",
    `export const profiles: { ${names.map((name) => `readonly ${JSON.stringify(name)}: Profile`).join("; ")} } = freeze({`,
    ...documents,
    "});",
    "",
    "/** Judges a profile's document: closed, all errors at once. */",
    "export const validateProfile: Validator<Profile> = writer(checks.Profile);",
    "",
  ].join("\n");
}
