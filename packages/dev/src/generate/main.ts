// Writes everything that is derived: from schemas/, types, validators, the catalogue, the profiles and the
// service's OpenAPI and AsyncAPI documents; state diagrams, from the transitions of the rules; the pages of
// commands, requirements, tests and evidence. With --check nothing is written, and the exit code is 1 if a file differs.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { apiPages } from "./api-pages.ts";
import { catalogueModule, eventRows, eventSchemasModule } from "./catalogue.ts";
import { differencesPage } from "./differences-page.ts";
import { evidencePages } from "./evidence-page.ts";
import { keywordFaults } from "./keywords.ts";
import { loadSchemas } from "./load.ts";
import { documents, profilesModule, schemasModule, validatorsModule } from "./modules.ts";
import { requirementsPage, withDiagrams } from "./pages.ts";
import { serviceDocuments } from "./service-documents.ts";
import { testsPage } from "./tests-page.ts";
import { typesOf } from "./types.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const folder = `${root}schemas`;

const files = loadSchemas(folder);
const faults = files.flatMap(keywordFaults);
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}

const rows = eventRows(folder, files);
const events = rows.map(({ file }) => file);
const profile = files.filter(({ title }) => title === "Profile");
const union = files.filter(({ title }) => title === "WebhookEvent");
const resources = files.filter((file) => ![...profile, ...union, ...events].includes(file));

const commandsPage = execFileSync(
  process.execPath,
  [
    "--disable-warning=ExperimentalWarning",
    "--conditions=@countersign/source",
    `${root}packages/dev/bin/cli-page.ts`,
  ],
  { encoding: "utf8" },
);
const tests = testsPage(root);
const read = (path: string): string =>
  existsSync(root + path) ? readFileSync(root + path, "utf8") : "";
const generated: Readonly<Record<string, string>> = {
  "schemas/src/generated/types.ts": await typesOf(files, rows),
  "schemas/src/generated/schemas.ts": schemasModule([...resources, ...events, ...profile]),
  "schemas/src/generated/catalogue.ts": catalogueModule(rows),
  "schemas/src/generated/event-schemas.ts": eventSchemasModule(rows),
  "schemas/src/generated/writers.ts": validatorsModule("writer", [...resources, ...events], rows),
  "schemas/src/generated/readers.ts": validatorsModule("reader", resources),
  "schemas/src/generated/profiles.ts": profilesModule(folder, ["standard", "x-signature"]),
  "schemas/src/generated/profile-validator.ts": validatorsModule("writer", profile),
  ...documents(folder, files),
  ...serviceDocuments(folder, files, rows),
  ...apiPages(root),
  "ARCHITECTURE.md": withDiagrams(read("ARCHITECTURE.md")),
  ...evidencePages(root),
  "docs/reference/cli.md": commandsPage,
  "docs/reference/library-differences.md": differencesPage(
    `${root}contracts/vectors/disagreements.json`,
  ),
  "docs/reference/requirements.md": requirementsPage(`${root}contracts/requirements`),
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
