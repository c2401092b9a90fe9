import { existsSync, mkdirSync, writeFileSync } from "node:fs";
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
      "@types/jest": "30.0.0",
      "@types/node": "24.19.2",
      "babel-jest": "30.5.2",
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
  const clock = fakeClock();
  const { statuses, receiver } = shop({ inbox: openSqlite(), now: clock.now });
  const event = eventFactories({ now: clock.now })["refund.failed"]({ data: { paymentId: "r_7" } });
  const attempt = signedAttempt({ provider: reference, secrets, event, now: clock.now() });

  await expectHandled(receiver, attempt);
  equal((await receiver.receive(attempt)).kind, "duplicate");
  deepEqual([...statuses], [["r_7", "TERMINAL_FAILED"]]);
  clock.advance(301_000);
  equal((await receiver.receive(attempt)).kind, "rejected");
});

for (const { name, run } of inboxConformance({ open: openSqlite })) it(name, run);

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
  "@countersign/receiver/testing":
    "eventFactories, expectHandled, fakeClock, inboxConformance, signedAttempt",
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
