// Packs every published package, lints the tarballs, and uses them from empty projects as their
// users do: ECMAScript modules, CommonJS, and strict TypeScript without skipLibCheck.
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const consumers = fileURLToPath(new URL("../consumers/", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "countersign-pack-"));

/** The packages that installing the receiver adds, and what they may weigh together, packed. */
const RECEIVER_PACKAGES = ["receiver", "rules", "schemas", "signatures"];
const RECEIVER_BYTES = 129_000;
const folders: Readonly<Record<string, string>> = {
  signatures: "packages/signatures",
  rules: "packages/rules",
  schemas: "schemas",
  receiver: "packages/receiver",
  client: "packages/client",
  "contract-kit": "packages/contract-kit",
  service: "packages/service",
  sandbox: "packages/sandbox",
  inspector: "packages/inspector",
  cli: "packages/cli",
  contracts: "contracts",
};

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function run(command: string, args: readonly string[], cwd = root): string {
  return execFileSync(command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    shell: process.platform === "win32",
  });
}

const versionOf = (dependency: string, manifest: string): string => {
  // Our own manifests have these two members.
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(join(root, manifest, "package.json"), "utf8"),
  ) as Record<"dependencies" | "devDependencies", Record<string, string> | undefined>;
  return dependencies[dependency] ?? devDependencies[dependency] ?? "*";
};

/** Packs a package and returns its tarball. */
async function pack(name: string): Promise<string> {
  const destination = join(work, "tarballs", name);
  mkdirSync(destination, { recursive: true });
  run("pnpm", ["pack", "--pack-destination", destination], join(root, folders[name] ?? ""));
  const [file] = readdirSync(destination);
  if (file === undefined) throw new Error(`${name} was not packed`);
  const tarball = join(destination, file);
  if (name !== "contracts") await lint(tarball);
  return tarball;
}

/** Refuses a tarball that publint finds a fault in; a warning is one. What it suggests is printed. */
async function lint(tarball: string): Promise<void> {
  const bytes = Uint8Array.from(readFileSync(tarball)).buffer;
  const { messages, pkg } = await publint({ pack: { tarball: bytes }, strict: true });
  for (const message of messages)
    console.error(`${tarball}: ${message.type}: ${formatMessage(message, pkg) ?? message.code}`);
  expect(!messages.some(({ type }) => type === "error"), `${tarball} is not fit to be published`);
}

/** An empty project that has the given tarballs and packages installed. */
function project(
  folderName: string,
  options: {
    readonly install: readonly string[];
    readonly others: Readonly<Record<string, string>>;
  },
): string {
  const folder = join(work, folderName);
  mkdirSync(folder);
  const ours = Object.entries(tarballs).map(
    ([name, file]) => [`@countersign/${name}`, `file:${file}`] as const,
  );
  const installed = ours.filter(([name]) =>
    options.install.some((wanted) => name.endsWith(`/${wanted}`)),
  );
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({
      name: folderName,
      private: true,
      type: "module",
      dependencies: { ...Object.fromEntries(installed), ...options.others },
    }),
  );
  // The tarballs ask for each other by version: this is where their versions are.
  const overrides = ours.map(([name, file]) => `  "${name}": "${file}"\n`).join("");
  writeFileSync(join(folder, "pnpm-workspace.yaml"), `packages: []\noverrides:\n${overrides}`);
  run("pnpm", ["install", "--prefer-offline", "--ignore-scripts"], folder);
  return folder;
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`pack check: ${what}`);
}

const tarballs: Record<string, string> = {};
try {
  run("node", ["packages/dev/bin/bundle.ts"]);
  run("node", ["packages/dev/bin/build-inspector.ts"]);
  for (const name of Object.keys(folders)) tarballs[name] = await pack(name);

  const bytes = RECEIVER_PACKAGES.map((name) => statSync(tarballs[name] ?? "").size);
  const total = bytes.reduce((sum, size) => sum + size, 0);
  expect(total <= RECEIVER_BYTES, `the receiver's packages weigh ${String(total)} bytes packed`);

  const bare = project("bare", { install: ["receiver"], others: {} });
  const added = readdirSync(join(bare, "node_modules", ".pnpm"))
    .filter((entry) => entry.startsWith("@countersign+"))
    .map((entry) => entry.replace(/^@countersign\+([a-z-]+)@.*/, "$1"));
  const strangers = readdirSync(join(bare, "node_modules", ".pnpm")).filter(
    (entry) =>
      !entry.startsWith("@countersign+") && entry !== "lock.yaml" && entry !== "node_modules",
  );
  expect(
    JSON.stringify(added.toSorted()) === JSON.stringify(RECEIVER_PACKAGES) &&
      strangers.length === 0,
    `installing the receiver adds ${[...added, ...strangers].join(", ")}`,
  );
  for (const name of RECEIVER_PACKAGES) {
    const manifest = JSON.parse(
      run("tar", ["-xOzf", tarballs[name] ?? "", "package/package.json"]),
    ) as Manifest & { readonly scripts?: object };
    expect(manifest.scripts === undefined, `${manifest.name} has scripts`);
  }

  // What `countersign serve` is made of has no controls of the sandbox, nor a way to them.
  const service = run("tar", [
    "-xOzf",
    tarballs["service"] ?? "",
    "package/dist",
    "package/package.json",
  ]);
  expect(service.length > 100_000, "the packed service could not be read");
  expect(!/\/sandbox\b/.test(service), "the packed service names the sandbox's package or paths");

  const app = project("app", {
    install: RECEIVER_PACKAGES,
    others: {
      express: versionOf("express", "packages/receiver"),
      "@types/express": versionOf("@types/express", "packages/receiver"),
      "@types/node": versionOf("@types/node", "."),
      // What the entry `otel` is for; testing stands without fast-check.
      "@opentelemetry/api": versionOf("@opentelemetry/api", "packages/receiver"),
    },
  });
  for (const file of readdirSync(consumers))
    writeFileSync(
      join(app, file === "tsconfig.consumer.json" ? "tsconfig.json" : file),
      readFileSync(join(consumers, file)),
    );
  // The README's code compiles as it is printed, under the same strict settings.
  const readme = readFileSync(join(root, "README.md"), "utf8");
  writeFileSync(join(app, "readme.ts"), /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "!");
  run("tsc", ["-p", app]);
  process.stdout.write(run("node", ["main.ts"], app));
  process.stdout.write(run("node", ["main.cjs"], app));

  const command = project("command", { install: ["cli"], others: {} });
  const bin = join(command, "node_modules", ".bin", "countersign");
  process.stdout.write(`countersign ${run(bin, ["--version"], command)}`);
  const out = join(command, "events.ts");
  run(bin, ["types", "--language", "typescript", "--out", out], command);
  expect(readFileSync(out, "utf8").includes("export type WebhookEvent"), "types wrote no types");
  const owed = run(bin, ["requirements", "--role", "receiver"], command);
  expect(owed.includes("R-VERIFY-RAW"), "requirements lists none");
  const listed = run(bin, ["verify", "receiver", "--list"], command);
  expect(/^R-VERIFY-RAW +MUST +receiver\//m.test(listed), "verify receiver lists no check");
  process.stdout.write(`the receiver's packages weigh ${String(total)} bytes packed\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
