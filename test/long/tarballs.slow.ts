import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripe } from "@countersign/schemas/providers";
import { schemeOf } from "@countersign/signatures";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { published, root } from "../../scripts/packages.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { packAll, project, run, versionsOf } from "../packages/packed.ts";
import { binaries, hasRuntimes, runScript, runtimes, startWorkerd } from "./runtimes.ts";

// Uses packages as they are packed, as their users do. CI runs it after a build.
const work = temporaryFolder(afterAll);
const consumers = join(root, "test/consumers");
const scripts = join(root, "scripts");
const here = import.meta.dirname;
const libraries = published.filter(({ manifest }) => manifest.bin === undefined);
let tarballs: Readonly<Record<string, string>>;

beforeAll(() => {
  run("pnpm", ["run", "build"], root);
  tarballs = packAll(join(work, "tarballs"));
}, 600_000);

/** The files that a command's chunk loads, itself and what they load included. */
function loadedBy(chunk: string, folder: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(chunk)) return seen;
  seen.add(chunk);
  const text = readFileSync(join(folder, chunk), "utf8");
  for (const [, name = ""] of text.matchAll(/(?:from |import\()"\.\/([^"]+)"/g))
    loadedBy(name, folder, seen);
  return seen;
}

describe("the tarball of a package", () => {
  it.each(published.map(({ manifest }) => manifest.name))(
    "of %s passes publint, has the license, and depends on third parties only",
    (name) => {
      const tarball = tarballs[name] ?? "";
      run("pnpm", ["exec", "publint", "--strict", tarball], here);
      const read = (file: string): string =>
        run("tar", ["-xOzf", tarball, `package/${file}`], work);
      expect(read("LICENSE")).toContain("Apache License");
      const { dependencies = {}, exports = {} } = JSON.parse(read("package.json")) as {
        readonly dependencies?: object;
        readonly exports?: object;
      };
      expect(Object.keys(dependencies).filter((one) => one.startsWith("@countersign/"))).toEqual(
        [],
      );
      expect(JSON.stringify(exports)).not.toContain(".ts");
      if (name === "@countersign/receiver") expect(dependencies).toEqual({});
    },
  );

  it.each(libraries.map(({ manifest }) => [manifest.name, manifest] as const))(
    "of %s has types that resolve in every mode of TypeScript, node10 included, as attw sees them",
    (name, { publishConfig }) => {
      const hasCommonJs = JSON.stringify(publishConfig).includes('"require"');
      // Node.js from 22.12 on loads what has no CommonJS build by `require` too.
      const ignored = hasCommonJs ? [] : ["--ignore-rules", "cjs-resolves-to-esm"];
      // It fails for any problem.
      const args = ["exec", "attw", "--profile", "strict", tarballs[name] ?? "", ...ignored];
      expect(run("pnpm", args, here)).toContain(name);
    },
  );

  it("of the command has no sandbox controls among the files that `serve` loads", () => {
    const lib = join(root, "packages/cli/lib/esm");
    const files = [...loadedBy("shared-serve.js", lib)];
    const served = files.map((name) => readFileSync(join(lib, name), "utf8")).join("");
    expect(served.length).toBeGreaterThan(100_000);
    expect(served).not.toMatch(/\/sandbox\b/);
  });
});

describe.each(["npm", "pnpm"] as const)("a project of %s", (client) => {
  let app: string;
  beforeAll(() => {
    const others = {
      // The entry `./otel` needs its peer; `./testing` compiles without fast-check.
      ...versionsOf(["express", "@types/express", "@opentelemetry/api"], "packages/receiver"),
      ...versionsOf(["@types/node"], "."),
    };
    app = project(join(work, client), { tarballs, others, client });
    cpSync(consumers, app, { recursive: true });
    cpSync(join(consumers, "entries.ts"), join(app, "entries.cts"));
    // The README's code compiles as printed, under the same strict settings.
    const readme = readFileSync(join(root, "README.md"), "utf8");
    writeFileSync(join(app, "readme.ts"), /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "!");
  }, 600_000);

  it.each([
    ["7", root],
    ["5.9", scripts],
  ])("compiles strict code without skipLibCheck under TypeScript %s", (version, folder) => {
    const tsc = join(folder, "node_modules/typescript/bin/tsc");
    expect(run("node", [tsc, "--version"], app)).toContain(`Version ${version}`);
    expect(run("node", [tsc, "-p", app], app)).toBe("");
  });

  it("runs every entry as a module and as CommonJS, a receiver, a sandbox and the command", () => {
    const command = JSON.stringify([join(app, "node_modules/.bin/countersign")]);
    const printed = run("node", ["--test", "--test-reporter=tap"], app, {
      COUNTERSIGN_COMMAND: command,
    });
    expect(printed).toMatch(/^# fail 0$/m);
  });
});

describe.skipIf(!hasRuntimes)(
  "the receiver, where the binary is a package for this platform",
  () => {
    let app: string;
    beforeAll(() => {
      const name = "@countersign/receiver";
      const receiver = { [name]: tarballs[name] ?? "" };
      app = project(join(work, "runtimes"), {
        tarballs: receiver,
        others: binaries,
        client: "npm",
      });
      cpSync(consumers, app, { recursive: true });
    }, 600_000);

    it.each(runtimes)("verifies, records and refuses on %s", (_name, command, sqlite) => {
      const answers = [204, 204, 401];
      expect(runScript(command, "runtime.mjs", app)).toEqual({ answers, sqlite });
    });

    it("verifies, records and refuses on workerd", async () => {
      const secret = "whsec_only_for_this_page";
      const { url, stop } = await startWorkerd(app, secret);
      onTestFinished(stop);
      const timestamp = Math.floor(Date.now() / 1000);
      const body = Buffer.from(`{"id":"evt_1","type":"a.b","created":${timestamp}}`);
      const { headers } = schemeOf(stripe).sign({ timestamp, body }, [secret]);
      const post = async (sent: Uint8Array<ArrayBuffer>): Promise<number> =>
        (await fetch(url, { method: "POST", headers: { ...headers }, body: sent })).status;
      expect([await post(body), await post(body), await post(Buffer.from("{}"))]).toEqual([
        204, 204, 401,
      ]);
    });
  },
);
