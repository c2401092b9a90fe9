// Writes everything that is derived: from schemas/, types, validators, the catalogue, the profiles and the
// service's OpenAPI and AsyncAPI documents; the pages of commands, requirements, tests and evidence. With --check
// nothing is written, and the exit code is 1 if a file differs.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { apiPages } from "../src/generate/api-pages.ts";
import { cliPage } from "../src/generate/cli-page.ts";
import { differencesPage, requirementsPage } from "../src/generate/contract-pages.ts";
import { evidencePages } from "../src/generate/evidence-page.ts";
import { keywordFaults } from "../src/generate/keywords.ts";
import { loadSchemas } from "../src/generate/load.ts";
import {
  catalogueModule,
  documents,
  eventRows,
  eventSchemasModule,
  profilesModule,
  schemasModule,
  validatorsModule,
} from "../src/generate/modules.ts";
import { serviceDocuments } from "../src/generate/service-documents.ts";
import { testsPage } from "../src/generate/tests-page.ts";
import { typesOf } from "../src/generate/types.ts";
import { root } from "../src/published.ts";

const files = loadSchemas(`${root}schemas`);
const faults = files.flatMap(keywordFaults);
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}

const rows = eventRows(files);
const events = rows.map(({ file }) => file);
const profile = files.filter(({ title }) => title === "Profile");
const union = files.filter(({ title }) => title === "WebhookEvent");
const resources = files.filter((file) => ![...profile, ...union, ...events].includes(file));

const tests = testsPage();
const read = (path: string): string =>
  existsSync(root + path) ? readFileSync(root + path, "utf8") : "";
const generated: Readonly<Record<string, string>> = {
  "schemas/src/generated/types.ts": await typesOf(files, rows),
  "schemas/src/generated/schemas.ts": schemasModule([...resources, ...events, ...profile]),
  "schemas/src/generated/catalogue.ts": catalogueModule(rows),
  "schemas/src/generated/event-schemas.ts": eventSchemasModule(rows),
  "schemas/src/generated/writers.ts": validatorsModule("writer", [...resources, ...events], rows),
  "schemas/src/generated/readers.ts": validatorsModule("reader", resources),
  "schemas/src/generated/profiles.ts": profilesModule(["standard", "x-signature"]),
  "schemas/src/generated/profile-validator.ts": validatorsModule("writer", profile),
  ...documents(files),
  ...serviceDocuments(files, rows),
  ...apiPages(),
  ...evidencePages(),
  "docs/reference/cli.md": await cliPage(),
  "docs/reference/library-differences.md": differencesPage(),
  "docs/reference/requirements.md": requirementsPage(),
  "docs/tests.md": tests.page,
};

const isChecking = process.argv.includes("--check");
const present = globSync(
  ["schemas/{src/generated,documents,reader}/**/*.*", "docs/reference/**/*.md"],
  { cwd: root },
);
const paths = new Set([
  ...Object.keys(generated),
  ...present.map((path) => path.replaceAll("\\", "/")),
]);
const stale = [...paths].filter((path) => read(path) !== generated[path]);
for (const path of stale) {
  const text = generated[path];
  if (isChecking) console.error(`${path} is stale: run pnpm generate`);
  else if (text === undefined) rmSync(root + path);
  else {
    mkdirSync(dirname(root + path), { recursive: true });
    writeFileSync(root + path, text);
  }
}
for (const id of tests.missing)
  console.error(`no test's title names ${id}, and no check covers it`);
process.exitCode = (isChecking && stale.length > 0) || tests.missing.length > 0 ? 1 : 0;
