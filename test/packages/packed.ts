import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { published, root } from "../../scripts/packages.ts";

type Versions = Readonly<Record<string, string>>;

/**
 * Runs a program to its end and returns what it printed to stdout.
 *
 * @throws {Error} The program failed; the message has what it printed to stdout and stderr.
 */
export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): string {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
    env: { ...process.env, ...env },
  });
  if (error !== undefined) throw error;
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
}

/** Packs every published package, as it was built last. @returns The tarballs by package. */
export function packAll(destination: string): Versions {
  const filters = published.flatMap(({ manifest }) => ["--filter", manifest.name]);
  run("pnpm", [...filters, "--recursive", "pack", "--pack-destination", destination], root);
  return Object.fromEntries(
    published.map(({ manifest: { name, version } }) => [
      name,
      join(destination, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`),
    ]),
  );
}

/** Makes a project with some tarballs and packages of the registry installed. @returns Its folder. */
export function project(
  folder: string,
  options: {
    readonly tarballs: Versions;
    readonly others: Versions;
    /** Default: pnpm. */
    readonly client?: "npm" | "pnpm";
  },
): string {
  const files = Object.entries(options.tarballs).map(([name, file]) => [name, `file:${file}`]);
  const dependencies: unknown = { ...Object.fromEntries(files), ...options.others };
  mkdirSync(folder, { recursive: true });
  const manifest = { name: "consumer", private: true, type: "module", dependencies };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "pnpm-workspace.yaml"), "packages: []\n");
  run(options.client ?? "pnpm", ["install", "--prefer-offline", "--ignore-scripts"], folder);
  return folder;
}

/** Returns the versions of packages that a manifest of this repository asks for. */
export function versionsOf(names: readonly string[], folder: string): Versions {
  const { devDependencies } = JSON.parse(
    readFileSync(join(root, folder, "package.json"), "utf8"),
  ) as { readonly devDependencies: Versions };
  return Object.fromEntries(names.map((name) => [name, devDependencies[name] ?? "missing"]));
}
