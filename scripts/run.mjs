#!/usr/bin/env node
// Installs the workspace and runs one of its scripts, on machines with npm only and any Node.js from 16 on. corepack is
// not part of Node.js 25 and later, and replaces no old Node.js. Plain JavaScript: Node.js 20 reads no TypeScript.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const PNPM = "12.21.0";
const NODE = "24.21.0";
const self = fileURLToPath(import.meta.url);
const root = dirname(dirname(self));
const isWindows = process.platform === "win32";

// The lowest versions of package.json's engines: earlier ones compare HMACs in variable time.
const floors = { 22: [22, 2], 24: [14, 1] };
const [major, minor, patch] = process.versions.node.split(".").map(Number);
const floor = floors[major] ?? (major > 24 ? [0, 0] : [Infinity, 0]);
const nodeIsRecent = minor > floor[0] || (minor === floor[0] && patch >= floor[1]);

const packages = [`pnpm@${PNPM}`];
if (!nodeIsRecent) {
  // A platform package of the "node" package. It has no install script, which npm 12 does not run by default.
  const os = { linux: "linux", darwin: "darwin", win32: "win" }[process.platform];
  const isAppleSilicon = process.platform === "darwin" && process.arch === "arm64";
  packages.push(`${isAppleSilicon ? "node-bin" : "node"}-${os}-${process.arch}@${NODE}`);
}

/** Projects with half of all packages: `npm run docs` and `npm run test:long` install theirs before they need it. */
const LATER = ["docs", "test/long"];

// Who runs a checkout's code trusts its lockfile, too. CI's lint has the registry's word on each package.
process.env.PNPM_CONFIG_TRUST_LOCKFILE ??= "true";

/** A hash of what an installation is made from, and of the lockfile that pnpm has installed. */
function installationKey() {
  const hash = createHash("sha256").update(JSON.stringify([packages, process.execPath]));
  for (const name of ["pnpm-lock.yaml", "pnpm-workspace.yaml", "node_modules/.pnpm/lock.yaml"]) {
    const file = join(root, name);
    hash.update(fs.existsSync(file) ? fs.readFileSync(file) : "");
  }
  return hash.digest("hex");
}

/** Installs the workspace unless nothing has changed since: asking pnpm takes 5 seconds each time. */
function installIfChanged() {
  const file = join(root, "node_modules/.cache/countersign/environment.json");
  if (fs.existsSync(file)) {
    const last = JSON.parse(fs.readFileSync(file, "utf8"));
    if (
      last.key === installationKey() &&
      [last.node, ...last.path].every((path) => fs.existsSync(path))
    )
      return last;
  }
  // An installation that is interrupted must not count as complete.
  fs.rmSync(file, { force: true });
  const environment = install();
  fs.mkdirSync(dirname(file), { recursive: true });
  // Renamed: another command that starts now reads all of it or nothing.
  const text = JSON.stringify({ ...environment, key: installationKey() });
  fs.writeFileSync(`${file}-${process.pid}`, text);
  fs.renameSync(`${file}-${process.pid}`, file);
  return environment;
}

/** Installs the workspace but for `LATER`, and returns the paths of pnpm and of a recent Node.js. */
function install() {
  const folder = fs.mkdtempSync(join(tmpdir(), "countersign-run-"));
  const found = join(folder, "environment.json");
  const filters = LATER.filter((path) => !fs.existsSync(join(root, path, "node_modules")));
  const without = filters.map((path) => `--filter=!./${path}`).join(" ");
  const line = `pnpm install --frozen-lockfile ${without} && node scripts/run.mjs`;
  const options = ["--yes", "--prefer-offline", ...packages.flatMap((name) => ["-p", name])];
  // npx is a script next to npm; it is run by name if another package manager started this file.
  const npm = process.env.npm_execpath ?? "";
  const [command, ...first] = npm.endsWith("npm-cli.js")
    ? [process.execPath, npm.replace(/npm-cli\.js$/, "npx-cli.js")]
    : ["npx"];
  const shell = isWindows && command === "npx";
  const old = nodeIsRecent ? "" : ` (Node.js ${NODE}, because ${process.versions.node} is too old)`;
  console.error(`Installing${old}…`);
  const args = [...first, ...options, "-c", shell ? JSON.stringify(line) : line];
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    shell,
    env: { ...process.env, COUNTERSIGN_ENVIRONMENT_FILE: found },
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) {
    process.stderr.write(error ? `${error.message}\n` : Buffer.concat([stdout, stderr]));
    process.exit(1);
  }
  const environment = JSON.parse(fs.readFileSync(found, "utf8"));
  fs.rmSync(folder, { recursive: true, force: true });
  return environment;
}

/** Writes the paths of Node.js and pnpm inside npx, which `install` started. */
function writeEnvironment(file) {
  const path = (process.env.PATH ?? process.env.Path ?? "").split(delimiter);
  // The folders that npx has added in front.
  const added = path.filter(
    (folder) => /[\\/]_npx[\\/]|[\\/]node_modules[\\/]\.bin$/.test(folder) && fs.existsSync(folder),
  );
  const environment = { node: process.execPath, path: [dirname(process.execPath), ...added] };
  fs.writeFileSync(file, JSON.stringify(environment));
}

/** Runs a script of package.json; one that is a Node.js program without a shell and a package manager in between. */
function run(script, args, { node, path }) {
  const { scripts } = JSON.parse(fs.readFileSync(join(root, "package.json"), "utf8"));
  const text = /\.(ts|mjs)$/.test(script)
    ? `node --disable-warning=ExperimentalWarning ${script}`
    : (scripts[script] ?? "");
  const isPlain = /^node [\w@%+=:,./ -]+$/.test(text);
  const [command, words] = isPlain
    ? [node, [...text.split(" ").slice(1), ...args]]
    : ["pnpm", ["run", script, ...args]];
  const env = { ...process.env, PATH: [...path, process.env.PATH].join(delimiter) };
  // Windows spells it "Path": the child must not get both.
  for (const name of Object.keys(env))
    if (name !== "PATH" && name.toUpperCase() === "PATH") delete env[name];
  const shell = isWindows && !isPlain;
  const quoted = shell ? words.map((word) => JSON.stringify(word)) : words;
  const child = spawn(command, quoted, { cwd: root, stdio: "inherit", shell, env });
  // The terminal signals the whole process group: the program decides, and this file waits for it.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    throw error;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1);
  });
}

const { COUNTERSIGN_ENVIRONMENT_FILE: file } = process.env;
const [script, ...args] = process.argv.slice(2);
if (file !== undefined && script === undefined) writeEnvironment(file);
else {
  const environment = script === undefined ? install() : installIfChanged();
  const generator = [join(root, "scripts/generate.ts"), "--if-changed"];
  const { status } = spawnSync(environment.node, generator, { stdio: "inherit" });
  if (status !== 0) process.exit(1);
  if (script !== undefined) run(script, args, environment);
}
