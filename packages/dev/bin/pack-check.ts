// Packs every package, lints the tarballs, and uses them from empty projects as their users do: as
// ECMAScript modules, as CommonJS, from strict TypeScript without skipLibCheck, in tests, as a command.
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { consumers, consumerVersions, packAll, project, run } from "../src/packed.ts";
import { root } from "../src/published.ts";

const work = mkdtempSync(join(tmpdir(), "countersign-pack-"));

/** The largest sizes of the packed packages in bytes; source maps are more than half of them. */
const BYTES: Readonly<Record<string, number>> = {
  "@countersign/client": 210_000,
  "@countersign/contract-kit": 650_000,
  "@countersign/receiver": 640_000,
  "@countersign/sandbox": 600_000,
  "@countersign/schemas": 140_000,
  countersign: 800_000,
};

function expect(isTrue: boolean, problem: string): void {
  if (!isTrue) throw new Error(`pack check: ${problem}`);
}

/** Rejects a tarball with an error or a warning of publint's; prints suggestions. */
async function lint(tarball: string): Promise<void> {
  const bytes = Uint8Array.from(readFileSync(tarball)).buffer;
  const { messages, pkg } = await publint({ pack: { tarball: bytes }, strict: true });
  for (const message of messages)
    console.error(`${tarball}: ${message.type}: ${formatMessage(message, pkg) ?? message.code}`);
  expect(!messages.some(({ type }) => type === "error"), `publint rejects ${tarball}`);
}

/** The text of files of a tarball. */
function unpacked(tarball: string, ...paths: readonly string[]): string {
  return run("tar", ["-xOzf", tarball, ...paths.map((path) => `package/${path}`)], work);
}

/** The files that a command's chunk loads, itself and what they load included. */
function loadedBy(chunk: string, folder: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(chunk)) return seen;
  seen.add(chunk);
  const text = readFileSync(join(folder, chunk), "utf8");
  for (const [, name = ""] of text.matchAll(/(?:from |import\()"\.\/([^"]+)"/g))
    loadedBy(name, folder, seen);
  return seen;
}

try {
  run("node", [join(root, "packages/dev/bin/build-inspector.ts")], root);
  run("node", [join(root, "packages/dev/bin/bundle.ts")], root);
  const tarballs = packAll(join(work, "tarballs"));
  const sizes: string[] = [];
  for (const [name, tarball] of Object.entries(tarballs)) {
    await lint(tarball);
    const manifest = unpacked(tarball, "package.json");
    expect(
      !/"(workspace:|@countersign\/source|scripts|devDependencies)/.test(manifest),
      `${name}'s manifest names what is not packed`,
    );
    expect(
      !/"@countersign\/[^"]*": "[\d^~]/.test(manifest),
      `${name} depends on a package of ours`,
    );
    expect(unpacked(tarball, "LICENSE").includes("Apache License"), `${name} has no license`);
    const { size } = statSync(tarball);
    sizes.push(`${name} ${String(Math.round(size / 1024))} KB`);
    expect(size <= (BYTES[name] ?? 0), `${name} is ${String(size)} bytes packed`);
  }
  const receiver = tarballs["@countersign/receiver"] ?? "";
  expect(
    !unpacked(receiver, "package.json").includes('"dependencies"'),
    "the receiver has dependencies",
  );

  // `countersign serve` has no sandbox controls and no way to them.
  const lib = join(root, "packages/cli/lib/esm");
  const served = [...loadedBy("shared-serve.js", lib)].map((name) =>
    readFileSync(join(lib, name), "utf8"),
  );
  expect(served.join("").length > 100_000, "the chunks of countersign serve could not be read");
  expect(
    !/\/sandbox\b/.test(served.join("")),
    "countersign serve names the sandbox's files or paths",
  );

  const app = project(join(work, "app"), { tarballs, others: consumerVersions() });
  cpSync(consumers, app, { recursive: true });
  cpSync(join(consumers, "entries.ts"), join(app, "entries.cts"));
  // The README's code compiles as printed, under the same strict settings.
  const readme = readFileSync(join(root, "README.md"), "utf8");
  writeFileSync(join(app, "readme.ts"), /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "!");
  run("tsc", ["-p", app], root);
  run("node", ["--test"], app);

  const bin = join(app, "node_modules", ".bin", "countersign");
  process.stdout.write(`countersign ${run(bin, ["--version"], app)}`);
  const out = join(app, "events.ts");
  run(bin, ["types", "--language", "typescript", "--out", out], app);
  expect(readFileSync(out, "utf8").includes("export type WebhookEvent"), "types wrote no types");
  const requirements = run(bin, ["requirements", "--role", "receiver"], app);
  expect(requirements.includes("R-VERIFY-RAW"), "requirements lists no R-VERIFY-RAW");
  const listed = run(bin, ["verify", "receiver", "--list"], app);
  expect(/^R-VERIFY-RAW +[a-z-]+ +receiver\//m.test(listed), "verify receiver lists no check");
  process.stdout.write(`packed: ${sizes.join(", ")}\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
