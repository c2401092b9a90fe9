// Checks a release before it is one: builds, publishes every package to a registry on loopback, installs them by name
// in empty projects with each package manager, and does there what users do first.
//
//   pnpm release:check [CLIENT...]     CLIENT: part of a package manager's name; default: all of them
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { consumers, consumerVersions } from "../src/packed.ts";
import { published, root } from "../src/published.ts";
import { startRegistry } from "../src/registry.ts";

const work = mkdtempSync(join(tmpdir(), "countersign-release-"));
const ours = published.map(({ manifest: { name, version } }) => `${name}@${version}`);
const others = Object.entries(consumerVersions()).map(([name, version]) => `${name}@${version}`);

/** A package manager: the commands that install packages, run Node.js, and run the command of a package. */
interface Client {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly install: readonly string[];
  readonly node: readonly string[];
  readonly command: readonly string[];
}

const classic = ["npx", "--yes", "yarn@1.22.22"];
const berry = ["npx", "--yes", "@yarnpkg/cli-dist@4.18.1"];
const clients = (registry: string): readonly Client[] => [
  {
    name: "npm",
    files: {},
    install: ["npm", "install", "--no-audit", "--no-fund"],
    node: ["node"],
    command: ["npx", "--no-install", "countersign"],
  },
  {
    name: "pnpm",
    // Packages of the last day are installed too.
    files: { "pnpm-workspace.yaml": "packages: []\nminimumReleaseAge: 0\n" },
    install: ["pnpm", "add"],
    node: ["node"],
    command: ["pnpm", "exec", "countersign"],
  },
  {
    name: "yarn classic",
    files: {},
    install: [...classic, "add", "--non-interactive", "--registry", registry],
    node: ["node"],
    command: [...classic, "--silent", "countersign"],
  },
  {
    name: "yarn with Plug'n'Play",
    files: {
      "yarn.lock": "",
      ".yarnrc.yml": `npmRegistryServer: "${registry}"\nunsafeHttpWhitelist: ["127.0.0.1"]\nenableTelemetry: false\nglobalFolder: ./global\nenableGlobalCache: false\nnpmMinimalAgeGate: 0\n`,
    },
    install: [...berry, "add"],
    node: [...berry, "node"],
    command: [...berry, "countersign"],
  },
];

let failures = 0;
/** Runs one step, prints its result, and its output if it failed. */
function step(
  title: string,
  words: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): boolean {
  const [command = "", ...args] = words;
  const started = Date.now();
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 28,
  });
  const isPassed = status === 0;
  const seconds = ((Date.now() - started) / 1000).toFixed(0);
  console.log(`${isPassed ? "passed" : "FAILED"}  ${title} (${seconds} s)`);
  if (!isPassed) {
    failures += 1;
    console.log(stdout + stderr);
  }
  return isPassed;
}

const registry = await startRegistry(join(work, "registry"));
try {
  const env = { npm_config_userconfig: registry.npmrc, npm_config_registry: registry.url };
  const release = [
    "node",
    join(root, "packages/dev/bin/publish.ts"),
    "--no-provenance",
    "--out",
    join(work, "packed"),
  ];
  console.log(`registry ${registry.url}`);
  step("build", ["pnpm", "run", "build"], { cwd: root });
  step(`publish ${ours.join(" ")}`, release, { cwd: root, env });
  step("publish again: every version is there", release, { cwd: root, env });

  const empty = join(work, "empty");
  mkdirSync(empty);
  step(
    "npx countersign --version in an empty folder",
    ["npx", "--yes", "countersign", "--version"],
    { cwd: empty, env },
  );
  for (const { manifest } of published.filter(({ manifest: { bin } }) => bin === undefined)) {
    const { name, version, exports } = manifest;
    const profile = JSON.stringify(exports).includes('"require"') ? "node16" : "esm-only";
    const tarball = join(work, "packed", `${name.slice(1).replace("/", "-")}-${version}.tgz`);
    const attw = ["npx", "--yes", "@arethetypeswrong/cli@0.18.5", "--profile", profile, tarball];
    step(`attw --profile ${profile} ${name}`, attw, { cwd: work });
  }

  const asked = process.argv.slice(2);
  const chosen = clients(registry.url).filter(
    ({ name }) => asked.length === 0 || asked.some((part) => name.includes(part)),
  );
  for (const client of chosen) {
    const cwd = join(work, client.name.replaceAll(/\W+/g, "-"));
    mkdirSync(cwd);
    const manifest = { name: "consumer", private: true, type: "module" };
    writeFileSync(join(cwd, "package.json"), JSON.stringify(manifest));
    for (const [name, text] of Object.entries(client.files)) writeFileSync(join(cwd, name), text);
    if (
      !step(`${client.name}: install by name`, [...client.install, ...ours, ...others], {
        cwd,
        env,
      })
    )
      continue;
    cpSync(join(consumers, "release.test.mjs"), join(cwd, "release.test.mjs"));
    step(
      `${client.name}: entries, mounted receiver, sandbox, command`,
      [...client.node, "--test", "--test-reporter=tap", "release.test.mjs"],
      { cwd, env: { ...env, COUNTERSIGN_COMMAND: JSON.stringify(client.command) } },
    );
    if (client.name !== "npm") continue;
    const vitest = ["pnpm", "exec", "vitest", "run", "--config", "test/vitest.slow.config.ts"];
    const blocks = [...vitest, "packages/dev/test/code-blocks.slow.ts", "-t", "a quickstart"];
    step("npm: every quickstart, block by block", blocks, {
      cwd: root,
      env: { ...env, COUNTERSIGN_PUBLISHED: "1" },
    });
    for (const file of ["entries.ts", "express.test.ts", "tsconfig.json"])
      cpSync(join(consumers, file), join(cwd, file));
    cpSync(join(consumers, "entries.ts"), join(cwd, "entries.cts"));
    writeFileSync(join(cwd, "readme.ts"), "export {};\n");
    for (const folder of [".", "packages/dev"]) {
      const tsc = join(root, folder, "node_modules/typescript/bin/tsc");
      const { stdout } = spawnSync("node", [tsc, "--version"], { encoding: "utf8" });
      step(`types compile under TypeScript ${stdout.trim()}`, ["node", tsc, "-p", cwd], { cwd });
    }
  }
} finally {
  registry.stop();
  rmSync(work, { recursive: true, force: true });
}
console.log(failures === 0 ? "release check passed" : `${String(failures)} steps failed`);
process.exitCode = failures === 0 ? 0 : 1;
