import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventFactories, signedAttempt } from "@countersign/receiver/testing";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { freePort } from "../src/free-port.ts";
import { packAll, project, run } from "../src/packed.ts";
import { tests } from "./merchants-tests.ts";

// A merchant's view: the packed receiver in an empty project, under each test runner and framework.
const root = fileURLToPath(new URL("../../../", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "countersign-packed-"));
const app = join(work, "app");
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

beforeAll(() => {
  run("pnpm", ["run", "build"], root);
  const { "@countersign/receiver": receiver = "" } = packAll(join(work, "tarballs"));
  project(app, {
    tarballs: { "@countersign/receiver": receiver },
    others: {
      "@babel/core": "8.1.2",
      "@babel/preset-env": "8.0.7",
      "@hono/node-server": "2.1.8",
      "@types/jest": "30.0.0",
      "@types/node": "24.19.2",
      "babel-jest": "30.5.2",
      express: "5.3.0",
      "fast-check": "4.10.2",
      hono: "4.13.19",
      jest: "30.5.2",
      mocha: "12.0.3",
      "ts-jest": "29.4.15",
      typescript: "5.9.3",
      vitest: "5.1.0",
    },
  });
}, 300_000);
afterAll(() => rmSync(work, { recursive: true, force: true }));

const imports: Readonly<Record<string, string>> = {
  "node:assert/strict": "equal, deepEqual",
  "node:fs": "mkdtempSync, writeFileSync",
  "node:os": "tmpdir",
  "node:path": "join",
  "@countersign/receiver": "createReceiver, memoryInbox",
  "@countersign/receiver/sqlite": "sqliteInbox",
  "@countersign/receiver/testing":
    "eventArbitraries, eventFactories, expectHandled, fakeClock, inboxConformance, signedAttempt",
  "fast-check": "default as fc",
};
const esm = (extra: Readonly<Record<string, string>> = {}): string =>
  Object.entries({ ...imports, ...extra })
    .map(([from, names]) => `import { ${names} } from "${from}";\n`)
    .join("");
const commonJs = Object.entries(imports)
  .map(([from, names]) => `const { ${names.replace(" as ", ": ")} } = require("${from}");\n`)
  .join("");

/** A runner's project: its files, and the command that a merchant types. */
interface Runner {
  readonly files: Readonly<Record<string, string>>;
  readonly command: readonly [string, ...string[]];
}
const module = '{ "type": "module" }';
const runners: Readonly<Record<string, Runner>> = {
  vitest: {
    files: {
      "package.json": module,
      "handlers.test.js": esm({ vitest: "it" }) + tests,
    },
    command: ["vitest", "run"],
  },
  "node:test": {
    files: { "package.json": module, "handlers.test.js": esm({ "node:test": "it" }) + tests },
    command: ["node", "--test"],
  },
  "Mocha, CommonJS": {
    files: { "package.json": "{}", "test/handlers.js": commonJs + tests },
    command: ["mocha"],
  },
  "Mocha, ECMAScript modules": {
    files: { "package.json": module, "test/handlers.js": esm() + tests },
    command: ["mocha"],
  },
  "Jest, CommonJS": {
    files: { "package.json": "{}", "handlers.test.js": commonJs + tests },
    command: ["jest"],
  },
  "ts-jest": {
    files: {
      "package.json": '{ "jest": { "preset": "ts-jest" } }',
      "tsconfig.json":
        '{ "compilerOptions": { "module": "node20", "isolatedModules": true, "strict": true } }',
      "handlers.test.ts": esm() + tests,
    },
    command: ["jest"],
  },
  "babel-jest that transforms dependencies": {
    files: {
      "package.json": '{ "jest": { "transformIgnorePatterns": [] } }',
      "babel.config.js":
        'module.exports = { presets: [["@babel/preset-env", { targets: { node: "current" } }]] };',
      "handlers.test.js": esm() + tests,
    },
    command: ["jest"],
  },
};

describe("a merchant's tests from the packed receiver", () => {
  it.each(Object.entries(runners))("pass under %s without flags", (name, { files, command }) => {
    const folder = join(app, name.replaceAll(/\W+/g, "-"));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const [program, ...args] = command;
    const bin = program === "node" ? process.execPath : join(app, "node_modules/.bin", program);
    run(bin, args, folder);
    expect(existsSync(join(folder, "ran"))).toBe(true);
  });
});

describe("a program of the guide to mounting, from the packed receiver", () => {
  const guide = readFileSync(join(root, "docs/guides/mounting.md"), "utf8");
  const folder = join(app, "quick-start");
  beforeAll(() => {
    mkdirSync(folder);
    for (const [, name = "", code = ""] of guide.matchAll(/^```ts (\S+)\n([\s\S]*?)^```$/gm))
      writeFileSync(join(folder, name), code);
  });
  const genuine = (): { headers: Record<string, string>; body: string } => {
    const event = eventFactories()["refund.authorized"]();
    const { headers, body } = signedAttempt({ secrets: [secret], event });
    return { headers: { ...headers }, body: Buffer.from(body).toString() };
  };

  it.each(["express-behind-parser.ts", "hono.ts"])(
    "%s answers 204 to a genuine event and 401 to a forged one",
    async (name) => {
      const port = await freePort(20_000);
      const server = spawn(process.execPath, [name], {
        cwd: folder,
        env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
        stdio: ["ignore", "ignore", "inherit"],
      });
      try {
        const { headers, body } = genuine();
        const post = async (text: string): Promise<number> => {
          const url = `http://127.0.0.1:${String(port)}/webhooks`;
          return (await fetch(url, { method: "POST", headers, body: text })).status;
        };
        await vi.waitFor(async () => expect(await post(body)).toBe(204), { timeout: 20_000 });
        expect(await post(body.replace("ref_", "REF_"))).toBe(401);
      } finally {
        server.kill();
        await once(server, "exit");
      }
    },
  );

  it("lambda.ts answers 204 to a genuine event and 401 to a forged one", () => {
    const { headers, body } = genuine();
    const forged = { headers, body: body.replace("ref_", "REF_") };
    const script = `const { handler } = await import("./lambda.ts");
      for (const event of ${JSON.stringify([{ headers, body }, forged])})
        console.log((await handler({ httpMethod: "POST", ...event })).statusCode);`;
    vi.stubEnv("WEBHOOK_SECRET", secret);
    const printed = run(process.execPath, ["--input-type=module", "--eval", script], folder);
    expect(printed).toMatch(/^on its way back: ref_\w+\n204\n401\n$/);
  });
});
