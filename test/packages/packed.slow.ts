import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packAll, project, run } from "./packed.ts";
import { temporaryFolder } from "../temporary-folder.ts";

// A merchant's view: the packed receiver in an empty project, under each test runner.
const root = fileURLToPath(new URL("../../", import.meta.url));
const work = temporaryFolder(afterAll);
const app = join(work, "app");

beforeAll(() => {
  run("pnpm", ["run", "build"], root);
  const { "@countersign/receiver": receiver = "" } = packAll(join(work, "tarballs"));
  project(app, {
    tarballs: { "@countersign/receiver": receiver },
    others: {
      "@babel/core": "8.1.2",
      "@babel/preset-env": "8.0.7",
      "@types/express": "5.0.6",
      "@types/jest": "30.0.0",
      "@types/node": "24.19.2",
      "babel-jest": "30.5.2",
      "express-4": "npm:express@4.22.2",
      "express-5": "npm:express@5.3.0",
      helmet: "8.3.0",
      jest: "30.5.2",
      mocha: "12.0.3",
      "ts-jest": "29.4.15",
      typescript: "5.9.3",
      vitest: "5.1.0",
    },
  });
}, 300_000);

/** Tests as a merchant writes them, without imports, which differ by runner. The last one writes the file `ran`. */
const tests = `const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];
const openSqlite = () => sqliteInbox(join(mkdtempSync(join(tmpdir(), "inbox-")), "inbox.db"));

function shop(options = {}) {
  const statuses = new Map();
  const receiver = createReceiver({
    provider: reference,
    secrets,
    ...options,
    fallback: () => undefined,
  }).on(
    "PAYMENT",
    (event) => void statuses.set(event.data.paymentId, event.data.paymentStatus),
  );
  return { statuses, receiver };
}

it("marks a failed refund once, and rejects an attempt that is too old", async () => {
  let now = Date.UTC(2026, 0, 1);
  const { statuses, receiver } = shop({ inbox: openSqlite(), now: () => now });
  const event = eventFactories({ now: () => now })["refund.failed"]({ data: { paymentId: "r_7" } });
  const attempt = signedAttempt({ provider: reference, secrets, event, now });

  await expectHandled(receiver, attempt);
  equal((await receiver.receive(attempt)).kind, "duplicate");
  deepEqual([...statuses], [["r_7", "TERMINAL_FAILED"]]);
  now += 301_000;
  equal((await receiver.receive(attempt)).kind, "rejected");
});

it("runs all of these tests", () => writeFileSync("ran", ""));
`;

const imports: Readonly<Record<string, string>> = {
  "node:assert/strict": "equal, deepEqual",
  "node:fs": "mkdtempSync, writeFileSync",
  "node:os": "tmpdir",
  "node:path": "join",
  "@countersign/receiver": "createReceiver, memoryInbox",
  "@countersign/receiver/providers": "reference",
  "@countersign/receiver/sqlite": "sqliteInbox",
  "@countersign/receiver/testing": "eventFactories, expectHandled, signedAttempt",
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
const runners: Readonly<Record<string, Runner>> = {
  vitest: {
    files: {
      "package.json": '{ "type": "module" }',
      "handlers.test.js": esm({ vitest: "it" }) + tests,
    },
    command: ["vitest", "run"],
  },
  "Mocha, CommonJS": {
    files: { "package.json": "{}", "test/handlers.js": commonJs + tests },
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
    run(join(app, "node_modules/.bin", program), args, folder);
    expect(existsSync(join(folder, "ran"))).toBe(true);
  });
});

const program = `import { createReceiver, memoryInbox } from "@countersign/receiver";
import { toExpress } from "@countersign/receiver/express";
import { stripe } from "@countersign/receiver/providers";
const inbox = memoryInbox();
toExpress(createReceiver({ provider: stripe, secrets: ["x"], inbox, fallback: ({ type }) => type.length }));
// @ts-expect-error a provider is required
createReceiver({ secrets: ["x"], inbox, fallback: () => undefined });
`;

it.each([
  ["commonjs", "node10"],
  ["esnext", "bundler"],
  ["nodenext", "nodenext"],
])(
  "the packed receiver's types are found by a project of %s with the resolution %s",
  (...named) => {
    const [module, moduleResolution] = named;
    const folder = join(app, `types-${moduleResolution}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "app.ts"), program);
    const compilerOptions = {
      module,
      moduleResolution,
      target: "es2022",
      strict: true,
      noEmit: true,
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    expect(run(join(app, "node_modules/.bin/tsc"), ["-p", folder], app)).toBe("");
  },
);

/** An app as many merchants have it: helmet and a parser of JSON for every route, routers, CommonJS. */
const existingApp = (parser: string): string => `import express, { Router } from "express";
import helmet from "helmet";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { toExpress } from "@countersign/receiver/express";
import { stripe } from "@countersign/receiver/providers";
import { signedAttempt } from "@countersign/receiver/testing";

const secrets = ["whsec_only_for_this_test"];
const receiver = createReceiver({ provider: stripe, secrets, inbox: memoryInbox(), fallback: () => undefined });
const webhooks = Router().post("/stripe", toExpress(receiver));

const app = express();
app.use(helmet());
app.use(${parser});
app.use("/webhooks", webhooks);
app.post("/orders", (request, response) => void response.json(request.body));

const server = app.listen(0, "127.0.0.1", async () => {
  const { port } = server.address() as { port: number };
  const post = (path: string, sent: object) =>
    fetch(\`http://127.0.0.1:\${port}\${path}\`, { method: "POST", ...sent });
  const event = { id: "evt_1", type: "charge.refunded", created: 1_790_000_000 };
  const webhook = await post("/webhooks/stripe", signedAttempt({ provider: stripe, secrets, event }));
  const order = await post("/orders", { headers: { "content-type": "application/json" }, body: "[1]" });
  console.log(JSON.stringify([webhook.status, await order.text()]));
  process.exit();
});
`;
const keeping =
  "express.json({ verify: (request, _response, bytes) => void Object.assign(request, { rawBody: bytes }) })";

describe.each(["express-4", "express-5"])(
  "in an existing app of %s, the packed receiver",
  (version) => {
    it.each([
      [
        "answers 500 and names the line to change",
        "express.json()",
        500,
        /CS_BODY_CONSUMED[^]*above app\.use\(express\.json\(\)\)/,
      ],
      ["works once the parser keeps the bytes", keeping, 204, /^(?!.*CS_)/],
    ])("behind the parser %s", (_title, parser, status, logged) => {
      const folder = join(app, `${version}-${status}`);
      mkdirSync(join(folder, "node_modules"), { recursive: true });
      symlinkSync(join(app, "node_modules", version), join(folder, "node_modules/express"));
      writeFileSync(join(folder, "package.json"), "{}");
      writeFileSync(join(folder, "app.ts"), existingApp(parser));
      const compilerOptions = {
        module: "commonjs",
        target: "es2022",
        strict: true,
        esModuleInterop: true,
      };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
      run(join(app, "node_modules/.bin/tsc"), ["-p", folder], app);
      const { stdout, stderr } = spawnSync(process.execPath, ["app.js"], {
        cwd: folder,
        encoding: "utf8",
      });
      expect(stdout).toBe(`[${status},"[1]"]\n`);
      expect(stderr).toMatch(logged);
    });
  },
);
