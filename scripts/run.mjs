#!/usr/bin/env node
// Installs the workspace and runs one of its scripts, on machines with npm only and any Node.js from 16 on. corepack is
// not part of Node.js 25 and later, and replaces no old Node.js. Plain JavaScript: Node.js 20 reads no TypeScript.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const PNPM = "12.21.0";
const NODE = "24.21.0";
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isWindows = process.platform === "win32";

// The lowest versions of package.json's engines: earlier ones compare HMACs in variable time.
const floors = { 22: [22, 2], 24: [14, 1] };
const [major, minor, patch] = process.versions.node.split(".").map(Number);
const floor = floors[major] ?? (major > 24 ? [0, 0] : [Infinity, 0]);
const nodeIsRecent = minor > floor[0] || (minor === floor[0] && patch >= floor[1]);

/** Projects with half of all packages: `npm run docs` and `npm run test:long` install theirs before they need it. */
const LATER = ["docs", "test/long"];

/** The folder of pnpm, and of a recent Node.js if this one is too old; another version has another folder. */
const tools = join(root, "node_modules/.cache", `pnpm-${PNPM}${nodeIsRecent ? "" : `-${NODE}`}`);
const isAppleSilicon = process.platform === "darwin" && process.arch === "arm64";
const os = { linux: "linux", darwin: "darwin", win32: "win" }[process.platform];
// A platform package of the "node" package. It has no install script, which npm 12 does not run by default.
const platform = `${isAppleSilicon ? "node-bin" : "node"}-${os}-${process.arch}`;
const node = nodeIsRecent
  ? process.execPath
  : join(tools, "node_modules", platform, "bin", isWindows ? "node.exe" : "node");

// Who runs a checkout's code trusts its lockfile, too. A pull request asks the registry about each package.
const env = { PNPM_CONFIG_TRUST_LOCKFILE: "true", ...process.env };
// Windows spells it "Path": the child must not get both.
const inherited = Object.keys(env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
const path = [dirname(node), join(tools, "node_modules/.bin"), env[inherited]].join(delimiter);
delete env[inherited];
env.PATH = path;

/** Quotes words for a shell, which has to find programs that are scripts on Windows. */
const quote = (words, shell) => (shell ? words.map((word) => JSON.stringify(word)) : words);

/** Runs a program to its end, and prints what it has written if it fails. */
function finish(command, words, shell = false) {
  const { status, error, stdout, stderr } = spawnSync(command, quote(words, shell), {
    cwd: root,
    env,
    shell,
    maxBuffer: 2 ** 28,
  });
  if (status === 0) return;
  process.stderr.write(error ? `${error.message}\n` : Buffer.concat([stdout, stderr]));
  process.exit(1);
}

/** Installs the tools and the workspace but for `LATER`, if they are not up to date. */
function install() {
  // npm writes it last.
  if (!fs.existsSync(join(tools, "node_modules/.package-lock.json"))) {
    const old = `Node.js ${NODE}, because ${process.versions.node} is too old`;
    console.error(`Installing${nodeIsRecent ? "" : ` (${old})`}…`);
    const wanted = [`pnpm@${PNPM}`, ...(nodeIsRecent ? [] : [`${platform}@${NODE}`])];
    const words = ["install", "--no-audit", "--no-fund", "--prefer-offline", "--prefix", tools];
    // npm is run by name if another package manager started this file.
    const cli = process.env.npm_execpath ?? "";
    if (cli.endsWith("npm-cli.js")) finish(process.execPath, [cli, ...words, ...wanted]);
    else finish("npm", [...words, ...wanted], isWindows);
  }
  const without = LATER.filter((folder) => !fs.existsSync(join(root, folder, "node_modules")));
  const filters = without.map((folder) => `--filter=!./${folder}`);
  finish("pnpm", ["install", "--frozen-lockfile", ...filters], isWindows);
}

/** Runs a script of package.json; one that is a Node.js program without a shell and a package manager in between. */
function run(script, args) {
  const { scripts } = JSON.parse(fs.readFileSync(join(root, "package.json"), "utf8"));
  const text = /\.(ts|mjs)$/.test(script)
    ? `node --disable-warning=ExperimentalWarning ${script}`
    : (scripts[script] ?? "");
  const isPlain = /^node [\w@%+=:,./ -]+$/.test(text);
  const [command, words] = isPlain
    ? [node, [...text.split(" ").slice(1), ...args]]
    : ["pnpm", ["run", script, ...args]];
  const shell = isWindows && !isPlain;
  const child = spawn(command, quote(words, shell), { cwd: root, stdio: "inherit", shell, env });
  // The terminal signals the whole process group: the program decides, and this file waits for it.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    throw error;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1);
  });
}

const [script, ...args] = process.argv.slice(2);
install();
finish(node, [join(root, "scripts/generate.ts"), "--if-changed"]);
if (script !== undefined) run(script, args);
