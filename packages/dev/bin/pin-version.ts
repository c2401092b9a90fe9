// Writes the version of the command into the examples of continuous integration, after `changeset version`.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packages, root } from "../src/published.ts";

const version = packages.get("countersign")?.manifest.version ?? "";
for (const path of globSync("docs/ci/*/package.json", { cwd: root })) {
  const text = readFileSync(join(root, path), "utf8");
  writeFileSync(join(root, path), text.replace(/("countersign": )"[^"]+"/, `$1"${version}"`));
}
