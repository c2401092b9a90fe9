// Makes what is derived from schemas/, and builds the inspector's page. Modules and shipped documents are not committed,
// and made again when a source has changed. Types, OpenAPI, AsyncAPI, and the pages of requirements, codes and vectors are committed, and a
// test compares them. No library knows our open enums, narrowed references and two sides.
//
// node scripts/generate.ts [--if-changed]
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { constantsModule, readDocuments } from "./schemas/providers.ts";
import { loadSchemas, readJson, root } from "./schemas/load.ts";
import { openApiSchemas, openApiSchemasModule, shippedDocuments } from "./schemas/documents.ts";

type Files = Readonly<Record<string, string>>;

const SOURCES = [
  "schemas/{resources,events,profiles,providers}/*.json",
  "scripts/{generate.ts,schemas/*.ts}",
  "packages/service/src/documents/sides.ts",
  "{packages/cli/src/types/standalone,schemas/src/validation}.ts",
];
const INSPECTOR =
  "{packages/inspector/{src,public}/**/*.*,packages/inspector/{index.html,vite.config.ts},schemas/src/**/*.ts}";
const IGNORED = "schemas/{{documents,reader}/**/*.json,src/generated/!(*types).ts}";
const STAMP = `${root}schemas/src/generated/stamp.json`;

/** Reads the schemas. ajv is loaded only if a source has changed. */
async function load() {
  const modules = await import("./schemas/modules.ts");
  const files = loadSchemas(`${root}schemas`);
  const rows = modules.eventRows(files);
  // The interface's documents describe neither profiles nor the union of all events.
  const described = files.filter(({ title }) => title !== "Profile" && title !== "WebhookEvent");
  return { modules, files, rows, described };
}

/** Returns the files that are not committed, by path. */
async function derivedFiles(): Promise<Files> {
  const { modules, files, rows, described } = await load();
  const providers = readDocuments("providers");
  const src = "schemas/src/generated";
  const titles = described.map(({ title }) => title);
  const resources = titles.filter((title) => rows.every((row) => row.title !== title));
  const validators = (side: "reader" | "writer", of: readonly string[]): string =>
    modules.validatorsModule(side, of, files);
  return {
    [`${src}/catalogue.ts`]: modules.catalogueModule(files, rows),
    [`${src}/event-examples.ts`]: modules.eventExamplesModule(rows),
    [`${src}/writers.ts`]: validators("writer", [...titles, "WebhookEvent"]),
    [`${src}/readers.ts`]: validators("reader", resources),
    [`${src}/profiles.ts`]: constantsModule(readDocuments("profiles"), "Profile", "./types.ts"),
    [`${src}/profile-validator.ts`]: validators("writer", ["Profile"]),
    [`${src}/provider-validator.ts`]: modules.providerValidatorModule(),
    [`${src}/validation-source.ts`]: modules.validationSourceModule(),
    "packages/service/src/documents/generated/schemas.ts": openApiSchemasModule(
      openApiSchemas(described),
    ),
    [`${src}/providers.ts`]: constantsModule(providers, "ProviderDocument", "./provider-types.ts"),
    ...shippedDocuments(files),
  };
}

/** Returns the files that are committed, by path. Needs the others to be up to date. */
export async function committedFiles(): Promise<Files> {
  const { files, rows, described } = await load();
  const [types, { requirementsPage }, { codesPage }, vectors, { openApiOf }, { asyncApiOf }] =
    await Promise.all([
      import("./schemas/types.ts"),
      import("../docs/.vitepress/requirements-page.ts"),
      import("../docs/.vitepress/codes-page.ts"),
      import("../docs/.vitepress/vectors-page.ts"),
      import("../packages/service/src/documents/openapi.ts"),
      import("../packages/service/src/documents/asyncapi.ts"),
    ]);
  const standard = readJson("schemas/profiles/standard.json") as Parameters<typeof openApiOf>[0];
  const schemas = openApiSchemas(described);
  const print = (document: object): string => `${JSON.stringify(document, null, 2)}\n`;
  return {
    "schemas/src/generated/types.ts": await types.typesOf(files, rows),
    "schemas/src/generated/provider-types.ts": await types.providerTypes(),
    "schemas/openapi.json": print(openApiOf(standard, schemas, "reader")),
    "schemas/asyncapi.json": print(asyncApiOf(standard, schemas, "reader")),
    "docs/reference/requirements.md": requirementsPage(),
    "docs/reference/codes.md": codesPage(),
    "docs/reference/vectors.md": vectors.vectorsPage(),
    "docs/reference/library-differences.md": vectors.differencesPage(),
  };
}

/** Writes a file whole or not at all: tests and programs may read the one before meanwhile. */
function write(path: string, text: string): void {
  const file = root + path;
  if (fs.existsSync(file) && fs.readFileSync(file, "utf8") === text) return;
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(`${file}-${process.pid}`, text);
  fs.renameSync(`${file}-${process.pid}`, file);
}

/** Makes the files that are not committed, if a source has changed or one of them is missing. */
export async function generateIfChanged(): Promise<void> {
  const hash = createHash("sha256");
  for (const path of fs.globSync(SOURCES, { cwd: root }).toSorted())
    hash.update(`${path}\0`).update(fs.readFileSync(root + path));
  const key = hash.digest("hex");
  if (fs.existsSync(STAMP)) {
    const last = JSON.parse(fs.readFileSync(STAMP, "utf8")) as { key: string; files: string[] };
    if (last.key === key && last.files.every((path) => fs.existsSync(root + path))) return;
  }
  const derived = await derivedFiles();
  for (const [path, text] of Object.entries(derived)) write(path, text);
  for (const path of fs.globSync(IGNORED, { cwd: root }))
    if (!(path.replaceAll("\\", "/") in derived)) fs.rmSync(root + path);
  const stamp = JSON.stringify({ key, files: Object.keys(derived) });
  write("schemas/src/generated/stamp.json", stamp);
}

/** Builds the inspector's page with Vite, if a source is newer than it. */
export function buildInspectorIfChanged(): void {
  const folder = `${root}packages/inspector/`;
  const changedAt = (path: string): number => fs.statSync(root + path).mtimeMs;
  const page = `packages/inspector/dist/index.html`;
  const newest = Math.max(...fs.globSync(INSPECTOR, { cwd: root }).map(changedAt));
  if (fs.existsSync(root + page) && changedAt(page) > newest) return;
  execFileSync(process.execPath, ["node_modules/vite/bin/vite.js", "build", "--logLevel=warn"], {
    cwd: folder,
    // The environment of a test or a developer would bundle a development build.
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await generateIfChanged();
  buildInspectorIfChanged();
  if (!process.argv.includes("--if-changed"))
    for (const [path, text] of Object.entries(await committedFiles())) write(path, text);
}
