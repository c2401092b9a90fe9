// Writes everything that is derived from schemas/: types, validators, the catalogue, the profiles.
// With --check nothing is written, and the exit code is 1 where a committed file differs.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { catalogueModule, eventRows } from "../src/generate/catalogue.ts";
import { keywordFaults } from "../src/generate/keywords.ts";
import { loadSchemas } from "../src/generate/load.ts";
import { profilesModule } from "../src/generate/profiles.ts";
import { typesOf } from "../src/generate/types.ts";
import { namedValidators, validatorsModule } from "../src/generate/validators.ts";

const folder = fileURLToPath(new URL("../../../schemas", import.meta.url));
const out = `${folder}/src/generated/`;

const files = loadSchemas(folder);
const faults = files.flatMap(keywordFaults);
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}

const rows = eventRows(folder, files);
const events = rows.map(({ file }) => file);
const profile = files.filter(({ title }) => title === "Profile");
const others = files.filter((file) => !profile.includes(file));
const resources = others.filter((file) => !events.includes(file) && file.title !== "WebhookEvent");

const modules: Readonly<Record<string, string>> = {
  "types.ts": await typesOf(files, rows),
  "writer-checks.ts": validatorsModule("writer", others, files),
  "writers.ts": namedValidators(others, "writer-checks.ts"),
  "reader-checks.ts": validatorsModule("reader", resources, files),
  "readers.ts": namedValidators(resources, "reader-checks.ts"),
  "event-checks.ts": validatorsModule("reader", events, files),
  "catalogue.ts": catalogueModule(rows),
  "profile-checks.ts": validatorsModule("writer", profile, files),
  "profiles.ts": profilesModule(folder, ["standard", "x-signature"]),
};

mkdirSync(out, { recursive: true });
const have = readdirSync(out);
const stale = [
  ...Object.entries(modules)
    .filter(([name, text]) => !have.includes(name) || readFileSync(out + name, "utf8") !== text)
    .map(([name]) => name),
  ...have.filter((name) => !(name in modules)),
];
if (process.argv.includes("--check")) {
  for (const name of stale)
    console.error(`schemas/src/generated/${name} is stale: run pnpm generate`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else
  for (const name of stale) {
    const text = modules[name];
    if (text === undefined) rmSync(out + name);
    else writeFileSync(out + name, text);
  }
