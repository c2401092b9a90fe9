import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { parse } from "yaml";
import { freePort } from "../free-port.ts";
import { packAll, project, run } from "./packed.ts";
import { root } from "../../scripts/packages.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import tests from "../package.json" with { type: "json" };
import workspace from "../../package.json" with { type: "json" };
import receiver from "../../packages/receiver/package.json" with { type: "json" };

// The code of the documentation as its readers use it: in one project, from the packed packages.
const work = temporaryFolder((end) => afterAll(end, 900_000));
const app = join(work, "app");
const versions: Readonly<Record<string, string>> = {
  ...workspace.devDependencies,
  ...tests.devDependencies,
  ...receiver.devDependencies,
};
/** Packages that the pages use and this repository too, in its versions. */
const shared = `@aws-sdk/client-sqs @hono/node-server @nats-io/jetstream @nats-io/transport-node @nestjs/common @nestjs/core @nestjs/platform-express @opentelemetry/api
  @octokit/webhooks @types/express @types/node @types/pg bullmq drizzle-orm express fast-check fastify graphile-worker hono ioredis knex kysely pg pg-boss redis
  reflect-metadata rxjs standardwebhooks stripe svix vitest`;
const others = {
  ...Object.fromEntries(shared.split(/\s+/).map((name) => [name, versions[name] ?? "missing"])),
  // next build adds them itself, with the package manager that it finds.
  "@types/react": "19.2.6",
  helmet: "8.3.0",
  next: "16.4.6",
  react: "19.2.0",
  "react-dom": "19.2.0",
  twilio: "6.2.0",
  typescript: "5.9.3",
  "typescript-7": "npm:typescript@7.0.2",
};

/** The files of an existing app, which the pages do not show. */
const existing: Readonly<Record<string, string>> = {
  "tsconfig.json": '{ "compilerOptions": { "allowImportingTsExtensions": true } }',
  "app/layout.js": "export default function Layout({ children }) { return children; }\n",
  "src/app.module.js":
    'import { Module } from "@nestjs/common";\nexport class AppModule {}\nModule({})(AppModule);\n',
  "src/app.module.d.ts": "export declare class AppModule {}\n",
  // Names that a page expects its reader to have.
  "context.d.ts":
    "declare const url: string, effectsUrl: string, token: string, secrets: readonly string[];\n",
  "app.module.js": 'export { AppModule } from "./src/app.module.js";\n',
  "app.module.ts": 'export { AppModule } from "./src/app.module.js";\n',
};

interface Block {
  readonly language: string;
  /** The file's name, or `server` for a command that keeps running. */
  readonly name: string | undefined;
  readonly code: string;
}

function blocksOf(page: string): readonly Block[] {
  const fences = readFileSync(join(root, page), "utf8").matchAll(
    /^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm,
  );
  return [...fences].map(([, language = "", name, code = ""]) => ({ language, name, code }));
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, code] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), code);
  }
}

beforeAll(() => {
  run("pnpm", ["run", "build"], root);
  project(app, { tarballs: packAll(join(work, "tarballs")), others });
  write(app, existing);
}, 900_000);

describe("the TypeScript blocks of the documentation", () => {
  const pages = globSync(
    ["README.md", "packages/*/README.md", "schemas/README.md", "docs/{start,guides}/*.md"],
    {
      cwd: root,
    },
  );

  /** Blocks without a name are one program, whose later blocks may import again. */
  const program = (blocks: readonly Block[]): string => {
    const code = blocks.map((block) => block.code).join("\n");
    const imports = new Set(code.match(/^import [^;]*;$/gm));
    return `${[...imports].join("\n")}\n${code.replaceAll(/^import [^;]*;$/gm, "")}\nexport {};\n`;
  };

  beforeAll(() => {
    for (const page of pages) {
      const blocks = blocksOf(page).filter(({ language }) => language === "ts");
      const named = blocks.flatMap(({ name, code }) =>
        name === undefined ? [] : [[name, code] as const],
      );
      const unnamed = blocks.filter(({ name }) => name === undefined);
      const folder = join(app, "blocks", page.replace(/\.md$/, "").replaceAll("/", "-"));
      if (blocks.length > 0)
        write(folder, { ...existing, ...Object.fromEntries(named), "page.ts": program(unnamed) });
    }
    const types = (page: string, ...args: readonly string[]): string => {
      const command = ["types", "--language", "typescript", ...args];
      return run(join(app, "node_modules/.bin/countersign"), command, join(app, "blocks", page));
    };
    types("docs-start-partner-types", "--out", "events.ts");
    const [provider = "", openapi = ""] = blocksOf("docs/guides/other-providers.md")
      .filter(({ language }) => language === "json")
      .map(({ code }) => code);
    write(join(app, "blocks/docs-guides-other-providers/acme"), {
      "provider.json": provider,
      "openapi.json": openapi,
    });
    const document = ["--openapi", "acme/openapi.json", "--provider", "acme/provider.json"];
    types("docs-guides-other-providers", "--validators", ...document, "--out", "catalogue.ts");
    const compilerOptions = {
      strict: true,
      module: "nodenext",
      target: "es2024",
      lib: ["es2024", "dom"],
      types: ["node"],
      noEmit: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
    };
    write(app, {
      "tsconfig.blocks.json": JSON.stringify({ compilerOptions, include: ["blocks"] }),
    });
  });
  // `next build` compiles every file of its project, with its own options.
  afterAll(() => rmSync(join(app, "blocks"), { recursive: true }));

  it.each([
    ["5.9", "typescript"],
    ["7", "typescript-7"],
  ])("compile under TypeScript %s", (version, name) => {
    const bin = join(app, "node_modules", name, "bin/tsc");
    expect(run("node", [bin, "--version"], app)).toContain(version);
    expect(run("node", [bin, "-p", "tsconfig.blocks.json"], app)).toBe("");
  });
});

describe("a reader of the documentation", () => {
  /** Starts a shell; what it leaves running ends with the test. */
  function start(commands: string, env: NodeJS.ProcessEnv) {
    const child = spawn("bash", ["-euc", commands], {
      cwd: app,
      detached: true,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const closed = once(child, "close");
    onTestFinished(async () => {
      // Its whole group: `npm run` starts others.
      spawnSync("bash", ["-c", `kill -KILL -- -${String(child.pid)}`]);
      await closed;
    });
    return { child, closed };
  }

  /** Runs a command that keeps running, until the test ends. */
  async function serve(command: string, port: number): Promise<void> {
    start(command, { PORT: String(port), NEXT_TELEMETRY_DISABLED: "1" }).child.stdout.resume();
    const isListening = (): Promise<void> =>
      new Promise((resolve, reject) => {
        const socket = connect(port, "localhost", () => {
          socket.destroy();
          resolve();
        }).on("error", reject);
      });
    await vi.waitFor(isListening, { timeout: 300_000, interval: 200 });
  }

  /** Runs commands and returns what they print. */
  async function shell(commands: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
    const { child, closed } = start(commands, env);
    const [output] = await Promise.all([text(child.stdout), closed]);
    expect([child.exitCode, child.exitCode === 0 ? "" : output]).toEqual([0, ""]);
    return output;
  }

  /** Runs a workflow's steps as GitHub's runner does, with the sandbox as the service; returns the job's summary. */
  async function runSteps(yaml: string): Promise<string> {
    const port = await freePort(25_000);
    const token = "a-token-of-sixteen-characters-or-more";
    const summary = join(work, "summary.md");
    write(app, {
      "start-service": `COUNTERSIGN_TOKEN=${token} exec npx countersign sandbox --port ${port} --database ci.db\n`,
    });
    chmodSync(join(app, "start-service"), 0o755);
    const steps = parse(
      yaml
        .replaceAll("8080", String(port))
        .replace("/test/states", "/sandbox/states")
        .replace("${{ secrets.COUNTERSIGN_TOKEN }}", token),
    ) as readonly { readonly run: string; readonly env?: NodeJS.ProcessEnv }[];
    for (const { run: commands, env } of steps) {
      // The project is installed already.
      if (commands.startsWith("npm ci")) continue;
      // oxlint-disable-next-line no-await-in-loop -- steps are in order
      await shell(commands, { ...env, GITHUB_STEP_SUMMARY: summary });
    }
    return readFileSync(summary, "utf8");
  }

  it.each([
    ["stripe", [/attempt 1 {2}204/]],
    ["github", [/attempt 1 {2}202/]],
    ["slack", [/attempt 1 {2}200/]],
    ["shopify", [/attempt 1 {2}204/]],
    ["standard-webhooks", [/attempt 1 {2}204/]],
    ["your-own", [/^ {2}event id +body \/id, signed$/m, /attempt 1 {2}204/]],
    ["provider-ci", [/^PASS/m, /^# PASS: nothing fails.*provider at/m]],
    ["partner-types", [/^refund on its way: ref_1$/m]],
  ] as const)(
    "follows the quickstart for %s, block by block",
    async (name, expected) => {
      const port = await freePort(24_000);
      const printed: string[] = [];
      /* oxlint-disable no-await-in-loop -- one block after the other, as a reader runs them */
      for (const { language, name: file, code } of blocksOf(`docs/start/${name}.md`)) {
        const local = code.replaceAll(/\b(?:3000|4010)\b/g, String(port));
        if (/^(?:ts|json)$/.test(language) && file !== undefined) write(app, { [file]: local });
        else if (language === "sh" && file === "server") await serve(local, port);
        else if (language === "sh") {
          // The project has the packages already, from their tarballs.
          const installs = local.match(/^npm install .*$/gm) ?? [];
          const names = installs.flatMap((line) =>
            line
              .split(" ")
              .slice(2)
              .filter((word) => !word.startsWith("-")),
          );
          for (const wanted of names) run("test", ["-e", join(app, "node_modules", wanted)], app);
          const commands = local.replaceAll(/^npm install .*$/gm, "");
          printed.push(await shell(commands));
        } else if (language === "yaml") printed.push(await runSteps(code));
      }
      /* oxlint-enable no-await-in-loop */
      for (const pattern of expected) expect(printed.join("")).toMatch(pattern);
      for (const path of ["webhooks.db", "webhooks.db-shm", "webhooks.db-wal"])
        rmSync(join(app, path), { force: true });
    },
    600_000,
  );

  it.each([
    ["Express", "node express.ts"],
    ["Express behind a body parser", "node express-behind-parser.ts"],
    ["Fastify", "node fastify.ts"],
    ["Hono", "node hono.ts"],
    ["node:http", "node node.ts"],
    ["NestJS", "node src/main.ts"],
    ["Next.js", "npx next build && npx next start"],
  ])(
    "mounts the receiver in %s",
    async (_name, command) => {
      const port = await freePort(24_000);
      for (const { name, code } of blocksOf("docs/start/frameworks.md"))
        if (name !== undefined) write(app, { [name]: code });
      await serve(`export STRIPE_WEBHOOK_SECRET=whsec_only_for_this_page; ${command}`, port);
      const send = `npx countersign send checkout.session.completed --provider stripe --url localhost:${String(port)}/webhooks`;
      const env = { COUNTERSIGN_SECRET: "whsec_only_for_this_page" };
      expect(await shell(send, env)).toMatch(/attempt 1 {2}204/);
    },
    600_000,
  );
});
