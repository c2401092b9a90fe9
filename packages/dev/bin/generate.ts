// Writes everything that is derived from schemas/: types, validators, the catalogue, the profiles;
// the service's OpenAPI and AsyncAPI documents; the state diagrams of ARCHITECTURE.md, from the
// transitions of the rules; and the page of requirements.
// With --check nothing is written, and the exit code is 1 where a committed file differs.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { catalogueModule, eventRows } from "../src/generate/catalogue.ts";
import { checksScripts } from "../src/generate/checks.ts";
import { withDiagrams } from "../src/generate/diagrams.ts";
import { documents, eventSchemasModule } from "../src/generate/documents.ts";
import { keywordFaults } from "../src/generate/keywords.ts";
import { loadSchemas } from "../src/generate/load.ts";
import { profilesModule, profileValidatorModule } from "../src/generate/profiles.ts";
import { requirementsPage } from "../src/generate/requirements.ts";
import { serviceDocuments } from "../src/generate/service-documents.ts";
import { typesOf } from "../src/generate/types.ts";
import { checksTypes, validatorsModule } from "../src/generate/validators.ts";

const folder = fileURLToPath(new URL("../../../schemas", import.meta.url));

const files = loadSchemas(folder);
const faults = files.flatMap(keywordFaults);
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}

const rows = eventRows(folder, files);
const events = rows.map(({ file }) => file);
const profile = files.find(({ title }) => title === "Profile");
if (profile === undefined) throw new Error("schemas/ has no profile.schema.json");
const others = files.filter((file) => file !== profile);
const resources = others.filter((file) => !events.includes(file) && file.title !== "WebhookEvent");

// The checks are scripts as they are shipped: a compiler would print them anew, at three times the size.
// The events' first and apart, since they are all that a receiver needs.
const checks = checksScripts({ "event-checks.js": events, "checks.js": resources }, files);
// Paths below schemas/.
const modules: Readonly<Record<string, string>> = {
  "src/generated/types.ts": await typesOf(files, rows),
  "src/generated/catalogue.ts": catalogueModule(rows),
  "src/generated/event-schemas.ts": eventSchemasModule(rows, files),
  "src/generated/writers.ts": validatorsModule(
    "writer",
    { "checks.js": resources, "event-checks.js": events },
    rows,
  ),
  "src/generated/readers.ts": validatorsModule("reader", { "checks.js": resources }),
  "src/generated/profiles.ts": profilesModule(folder, ["standard", "x-signature"]),
  "src/generated/profile-validator.ts": profileValidatorModule(profile),
  ...Object.fromEntries(Object.entries(checks).map(([name, text]) => [`checks/${name}`, text])),
  "checks/checks.d.ts": checksTypes(resources),
  "checks/event-checks.d.ts": checksTypes(events),
  ...documents(folder, files),
};

const isChecking = process.argv.includes("--check");
const have = globSync("{src/generated,checks,documents}/**/*.*", { cwd: folder }).map((path) =>
  path.replaceAll("\\", "/"),
);
const stale = [...new Set([...Object.keys(modules), ...have])].filter((path) => {
  const text = modules[path];
  return (
    text === undefined || !have.includes(path) || readFileSync(`${folder}/${path}`, "utf8") !== text
  );
});
for (const path of stale) {
  const text = modules[path];
  if (isChecking) console.error(`schemas/${path} is stale: run pnpm generate`);
  else if (text === undefined) rmSync(`${folder}/${path}`);
  else {
    mkdirSync(dirname(`${folder}/${path}`), { recursive: true });
    writeFileSync(`${folder}/${path}`, text);
  }
}

const root = fileURLToPath(new URL("../../../", import.meta.url));
const read = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");
const pages: Readonly<Record<string, string>> = {
  "ARCHITECTURE.md": withDiagrams(read(`${root}ARCHITECTURE.md`)),
  "docs/requirements.md": requirementsPage(`${root}contracts/requirements`),
  ...serviceDocuments(folder, files),
};
const stalePages = Object.entries(pages).filter(([path, text]) => read(root + path) !== text);
for (const [path, text] of stalePages) {
  if (isChecking) console.error(`${path} is stale: run pnpm generate`);
  else {
    mkdirSync(dirname(root + path), { recursive: true });
    writeFileSync(root + path, text);
  }
}
process.exitCode = isChecking && stale.length + stalePages.length > 0 ? 1 : 0;
