// Packs every package, lints the tarballs, and uses them from empty projects as their users do: as
// ECMAScript modules, as CommonJS, from strict TypeScript without skipLibCheck, in tests, as a command.
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { packAll, project, run, versionsOf } from "../src/packed.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const consumers = fileURLToPath(new URL("../consumers/", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "countersign-pack-"));

/** The largest size of the packed receiver. It was 560 KB when this was set, more than half of it source maps. */
const RECEIVER_BYTES = 640_000;

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

try {
  run("node", [join(root, "packages/dev/bin/bundle.ts")], root);
  run("node", [join(root, "packages/dev/bin/build-inspector.ts")], root);
  const tarballs = packAll(join(work, "tarballs"));
  for (const [name, tarball] of Object.entries(tarballs))
    if (name !== "@countersign/contracts") await lint(tarball);

  const receiver = tarballs["@countersign/receiver"] ?? "";
  const { size } = statSync(receiver);
  expect(size <= RECEIVER_BYTES, `the receiver is ${String(size)} bytes packed`);
  const manifest = JSON.parse(
    run("tar", ["-xOzf", receiver, "package/package.json"], work),
  ) as object;
  for (const member of ["dependencies", "optionalDependencies", "scripts"])
    expect(!(member in manifest), `the receiver's manifest has ${member}`);

  // `countersign serve` is made of this package: it has no sandbox controls and no way to them.
  const service = run(
    "tar",
    ["-xOzf", tarballs["@countersign/service"] ?? "", "package/dist", "package/package.json"],
    work,
  );
  expect(service.length > 100_000, "the packed service could not be read");
  expect(!/\/sandbox\b/.test(service), "the packed service names the sandbox's package or paths");

  const app = project(join(work, "app"), {
    tarballs: { "@countersign/receiver": receiver },
    // The entry `./otel` needs its peer; `./testing` compiles without fast-check.
    others: {
      ...versionsOf(["express", "@types/express", "@opentelemetry/api"], "packages/receiver"),
      ...versionsOf(["@types/node"], "."),
    },
  });
  cpSync(consumers, app, { recursive: true });
  cpSync(join(consumers, "entries.ts"), join(app, "entries.cts"));
  // The README's code compiles as printed, under the same strict settings.
  const readme = readFileSync(join(root, "README.md"), "utf8");
  writeFileSync(join(app, "readme.ts"), /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "!");
  run("tsc", ["-p", app], root);
  run("node", ["--test"], app);

  const command = project(join(work, "command"), { tarballs, others: {} });
  const bin = join(command, "node_modules", ".bin", "countersign");
  process.stdout.write(`countersign ${run(bin, ["--version"], command)}`);
  const out = join(command, "events.ts");
  run(bin, ["types", "--language", "typescript", "--out", out], command);
  expect(readFileSync(out, "utf8").includes("export type WebhookEvent"), "types wrote no types");
  const requirements = run(bin, ["requirements", "--role", "receiver"], command);
  expect(requirements.includes("R-VERIFY-RAW"), "requirements lists no R-VERIFY-RAW");
  const listed = run(bin, ["verify", "receiver", "--list"], command);
  expect(/^R-VERIFY-RAW +[a-z-]+ +receiver\//m.test(listed), "verify receiver lists no check");
  process.stdout.write(`the receiver is ${String(size)} bytes packed\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
