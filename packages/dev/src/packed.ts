import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { published, root } from "./published.ts";

/** Paths of tarballs, by the names of their packages. */
export type Tarballs = Readonly<Record<string, string>>;

/**
 * Runs a program to its end and returns what it printed to stdout.
 *
 * @throws {Error} the program failed; the message holds what it printed to stdout and stderr.
 */
export function run(command: string, args: readonly string[], cwd: string): string {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (error !== undefined) throw error;
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
}

/** Packs every published package, as it was built last, into a folder. */
export function packAll(destination: string): Tarballs {
  const filters = published.flatMap(({ manifest }) => ["--filter", manifest.name]);
  run("pnpm", [...filters, "--recursive", "pack", "--pack-destination", destination], root);
  return Object.fromEntries(
    published.map(({ manifest: { name, version } }) => [
      name,
      join(destination, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`),
    ]),
  );
}

/**
 * Makes an empty project with some tarballs and packages installed.
 *
 * @param options.others Versions of packages of the registry, by name.
 * @param options.client The package manager. Default: pnpm.
 */
export function project(
  folder: string,
  options: {
    readonly tarballs: Tarballs;
    readonly others: Readonly<Record<string, string>>;
    readonly client?: "npm" | "pnpm";
  },
): string {
  const files = Object.entries(options.tarballs).map(
    ([name, file]) => [name, `file:${file}`] as const,
  );
  const dependencies: Tarballs = { ...Object.fromEntries(files), ...options.others };
  mkdirSync(folder, { recursive: true });
  const manifest = { name: "consumer", private: true, type: "module", dependencies };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "pnpm-workspace.yaml"), "packages: []\n");
  run(options.client ?? "pnpm", ["install", "--prefer-offline", "--ignore-scripts"], folder);
  return folder;
}

/** The folder of the files with which a user's project tries the packages. */
export const consumers: string = join(root, "packages/dev/consumers");

/** Versions of the packages that these files need besides ours, by name. */
export function consumerVersions(): Readonly<Record<string, string>> {
  return {
    // The entry `./otel` needs its peer; `./testing` compiles without fast-check.
    ...versionsOf(["express", "@types/express", "@opentelemetry/api"], "packages/receiver"),
    ...versionsOf(["@types/node"], "."),
  };
}

/** Versions of packages that the manifest of a package of this repository asks for. */
function versionsOf(names: readonly string[], folder: string): Record<string, string> {
  const { devDependencies } = JSON.parse(
    readFileSync(join(root, folder, "package.json"), "utf8"),
  ) as { readonly devDependencies: Readonly<Record<string, string>> };
  return Object.fromEntries(names.map((name) => [name, devDependencies[name] ?? "missing"]));
}
