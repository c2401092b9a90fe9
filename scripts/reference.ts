// Writes docs/reference/: codes and requirements, to which messages lead and which are therefore committed; with
// --site also the commands and the API, which only the site has.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { apiPages } from "../packages/dev/src/generate/api-pages.ts";
import { cliPage } from "../packages/dev/src/generate/cli-page.ts";
import { codesPage } from "../packages/dev/src/generate/codes-page.ts";
import { differencesPage, requirementsPage } from "../packages/dev/src/generate/contract-pages.ts";
import { readJson, root } from "./schemas/load.ts";

/** Returns the committed pages, by path. */
export function committedPages(): Readonly<Record<string, string>> {
  const standard = readJson("schemas/profiles/standard.json") as Parameters<typeof codesPage>[0];
  return {
    "docs/reference/codes.md": codesPage(standard),
    "docs/reference/library-differences.md": differencesPage(),
    "docs/reference/requirements.md": requirementsPage(),
  };
}

if (process.argv[1] === `${root}scripts/reference.ts`) {
  const site: Readonly<Record<string, string>> = process.argv.includes("--site")
    ? { ...apiPages(), "docs/reference/cli.md": await cliPage() }
    : {};
  for (const [path, text] of Object.entries({ ...committedPages(), ...site })) {
    mkdirSync(dirname(root + path), { recursive: true });
    writeFileSync(root + path, text);
  }
}
