// Packs every published package with its CycloneDX SBOM, and publishes those whose version the registry lacks. In the
// release workflow npm authenticates by OpenID Connect; nothing here reads a token.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { packAll, run } from "../src/packed.ts";
import { packages, published, root } from "../src/published.ts";

const HELP = `Packs every published package, as it was built last, and publishes those that the registry lacks.

pnpm release [--dry-run] [--no-provenance] [--out DIR]

  --dry-run         pack and write the SBOMs, publish nothing
  --no-provenance   for a registry that takes no provenance, such as a local one
  --out DIR         folder of the tarballs and the SBOMs (default: test/output/release)

The registry is npm's setting, for example of npm_config_registry.`;

const { values } = parseArgs({
  options: {
    "dry-run": { type: "boolean", default: false },
    "no-provenance": { type: "boolean", default: false },
    out: { type: "string", default: join(root, "test/output/release") },
    help: { type: "boolean", short: "h", default: false },
  },
});

/** A CycloneDX document, as far as it is changed here. */
interface Sbom {
  readonly components: object[];
}

/** Writes the SBOM of a tarball next to it: its dependencies as npm resolves them, and what is bundled of third parties. */
function writeSbom(name: string, tarball: string): Sbom {
  const folder = join(values.out, "unpacked");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run("tar", ["-xzf", tarball, "-C", folder], root);
  const unpacked = join(folder, "package");
  const lock = ["--package-lock-only", "--omit=dev", "--omit=optional", "--omit=peer"];
  run("npm", ["install", ...lock, "--ignore-scripts", "--no-audit"], unpacked);
  const format = ["--sbom-format=cyclonedx", "--sbom-type=library"];
  const sbom = JSON.parse(run("npm", ["sbom", ...lock, ...format], unpacked)) as Sbom;
  const inspector = packages.get("@countersign/inspector");
  const { preact: version } = inspector?.manifest.devDependencies ?? {};
  // The inspector's page is the only file that holds code of third parties.
  if (name === "countersign" && version !== undefined)
    sbom.components.push({
      type: "library",
      name: "preact",
      version,
      scope: "required",
      purl: `pkg:npm/preact@${version}`,
    });
  writeFileSync(tarball.replace(/tgz$/, "cdx.json"), `${JSON.stringify(sbom, undefined, 2)}\n`);
  rmSync(folder, { recursive: true });
  return sbom;
}

/** True if the registry has this version. */
function isPublished(name: string, version: string): boolean {
  try {
    return run("npm", ["view", `${name}@${version}`, "version"], root).trim() === version;
  } catch (error) {
    if (error instanceof Error && error.message.includes("E404")) return false;
    throw error;
  }
}

function release(): void {
  rmSync(values.out, { recursive: true, force: true });
  mkdirSync(values.out, { recursive: true });
  const tarballs = packAll(values.out);
  for (const { manifest } of published) {
    const { name, version } = manifest;
    if (!values["dry-run"] && isPublished(name, version)) {
      console.log(`already published: ${name}@${version}`);
      continue;
    }
    const tarball = tarballs[name] ?? "";
    const { components } = writeSbom(name, tarball);
    const provenance = `--provenance=${String(!values["no-provenance"])}`;
    if (!values["dry-run"]) run("npm", ["publish", tarball, "--access=public", provenance], root);
    const done = values["dry-run"] ? "packed" : "published";
    console.log(`${done} ${name}@${version}, SBOM of ${String(components.length)} components`);
  }
}

if (values.help) console.log(HELP);
else release();
