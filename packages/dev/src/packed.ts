import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

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
  const internal = ["@countersign/dev", "@countersign/example-merchant", "countersign-workspace"];
  const filters = internal.flatMap((name) => ["--filter", `!${name}`]);
  run("pnpm", ["--recursive", ...filters, "pack", "--pack-destination", destination], root);
  return Object.fromEntries(
    readdirSync(destination).map((file) => [
      file.replace(/-[\d.]+\.tgz$/, "").replace("countersign-", "@countersign/"),
      join(destination, file),
    ]),
  );
}

/**
 * Makes an empty project with some tarballs and packages installed.
 *
 * @param options.others Versions of packages of the registry, by name.
 */
export function project(
  folder: string,
  options: { readonly tarballs: Tarballs; readonly others: Readonly<Record<string, string>> },
): string {
  const files = Object.entries(options.tarballs).map(
    ([name, file]) => [name, `file:${file}`] as const,
  );
  const dependencies: Tarballs = { ...Object.fromEntries(files), ...options.others };
  mkdirSync(folder, { recursive: true });
  const manifest = { name: "consumer", private: true, type: "module", dependencies };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  // The tarballs depend on each other by version; nothing of ours comes from a registry.
  const overrides = files.map(([name, file]) => `  "${name}": "${file}"\n`).join("");
  writeFileSync(join(folder, "pnpm-workspace.yaml"), `packages: []\noverrides:\n${overrides}`);
  run("pnpm", ["install", "--prefer-offline", "--ignore-scripts"], folder);
  return folder;
}

/** Versions of packages that the manifest of a package of this repository asks for. */
export function versionsOf(names: readonly string[], folder: string): Record<string, string> {
  const { devDependencies } = JSON.parse(
    readFileSync(join(root, folder, "package.json"), "utf8"),
  ) as { readonly devDependencies: Readonly<Record<string, string>> };
  return Object.fromEntries(names.map((name) => [name, devDependencies[name] ?? "missing"]));
}
