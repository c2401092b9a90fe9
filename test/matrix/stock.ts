import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { receiverTarget } from "@countersign/contract-kit";
import type { Profile } from "@countersign/schemas";
import { profiles } from "@countersign/schemas/profiles";
import { providerOf } from "@countersign/schemas/provider-of";
import { type ProviderDocument, reference } from "@countersign/schemas/providers";
import { buildSync } from "esbuild";
import { secrets } from "../../packages/contract-kit/test/receiver/open-receiver.ts";
import { testPort } from "../../packages/receiver/test/inboxes/servers.ts";
import type { Good } from "./receivers.ts";

// Receivers as merchants write them from a library's README: verification, a unique insert, effects, nothing else.

const folder = fileURLToPath(new URL("stock/", import.meta.url));

interface Stock {
  readonly name: string;
  /** Returns the command to start; what must be built first is built here. */
  readonly command: (scratch: string) => readonly string[];
  /** A command that ends with 0 if the machine has what it needs. */
  readonly needs?: readonly string[];
  readonly library?: keyof typeof libraryFaults;
  readonly profile?: Profile;
}

/** In memory if the machine has such a folder, since a commit to a busy disk takes longer than all else. */
const databases = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Starts a receiver on a free port, and waits until it answers. */
async function start(
  { command, profile = profiles.standard }: Pick<Stock, "command" | "profile">,
  env: Readonly<Record<string, string>> = {},
) {
  const scratch = mkdtempSync(join(tmpdir(), "countersign-stock-"));
  const database = mkdtempSync(join(databases, "countersign-stock-"));
  const [program = "", ...parameters] = command(scratch);
  const port = await testPort();
  const [secret = ""] = secrets["standard"] ?? [];
  const child = spawn(program, parameters, {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      // Otherwise Express answers with stacks.
      NODE_ENV: "production",
      PORT: String(port),
      WEBHOOK_SECRET: secret,
      DATABASE: join(database, "events.sqlite"),
      PYTHONDONTWRITEBYTECODE: "1",
      NODE_NO_WARNINGS: "1",
      ...env,
    },
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  const origin = `http://127.0.0.1:${String(port)}`;
  const answers = (): Promise<boolean> =>
    fetch(`${origin}/effects`).then(
      () => true,
      () => false,
    );
  for (let tries = 0; !(await answers()); tries += 1) {
    if (child.exitCode !== null || tries === 400) {
      child.kill("SIGKILL");
      throw new Error(`${program} did not start`);
    }
    // oxlint-disable-next-line no-await-in-loop -- one try after the other
    await setTimeout(50);
  }
  const target = receiverTarget({
    url: `${origin}/webhooks`,
    effects: `${origin}/effects`,
    secrets: [secret],
    provider: providerOf(profile),
  });
  return {
    target,
    async close() {
      target.close();
      child.kill("SIGKILL");
      await ended;
      for (const made of [scratch, database]) rmSync(made, { recursive: true, force: true });
    },
  };
}

/** The standard profile of a sender whose attempts are signed in another way; ids are in the body only. */
function signedBy(
  name: string,
  signature: ProviderDocument["signature"],
  timestamp?: ProviderDocument["timestamp"],
): Profile {
  const { id: _, timestamp: _time, ...rest } = reference;
  const event = { ...reference.event, id: "body:/id" };
  const provider = {
    ...rest,
    name,
    title: name,
    event,
    signature,
    ...(timestamp && { timestamp }),
  };
  return { ...profiles.standard, name, provider };
}

const stripe = signedBy(
  "stripe-signature",
  {
    algorithm: "hmac-sha256",
    encoding: "hex",
    carrier: [{ at: "header:Stripe-Signature", separator: ",", pair: "v1" }],
    signed: ["timestamp", { text: "." }, "body"],
  },
  { at: "header:Stripe-Signature#t", unit: "s", toleranceSeconds: 300 },
);
const gitHub = signedBy("hub-signature", {
  algorithm: "hmac-sha256",
  encoding: "hex",
  carrier: [{ at: "header:X-Hub-Signature-256", prefix: "sha256=" }],
  signed: ["body"],
});

const node = (file: string) => () => [process.execPath, join(folder, file)];
// Debian's packages belong to Debian's Python.
const PYTHON = "/usr/bin/python3";
const python = (file: string) => () => [PYTHON, file];

/** Requirements that a library breaks, at this version, whatever its user does. */
export const libraryFaults = {
  // It bounds only the past, so a signature ten years ahead passes, and then for ten years.
  "stripe 23.1.0": ["R-VERIFY-AHEAD"],
} as const;

const stock: readonly Stock[] = [
  { name: "Express by hand", command: node("express-by-hand.mjs") },
  {
    name: "Express with standardwebhooks",
    command: node("express-standardwebhooks.mjs"),
  },
  { name: "Express with svix", command: node("express-svix.mjs") },
  {
    name: "Express with stripe",
    command: node("express-stripe.mjs"),
    library: "stripe 23.1.0",
    profile: stripe,
  },
  {
    name: "Express with @octokit/webhooks-methods",
    command: node("express-octokit.mjs"),
    profile: gitHub,
  },
  { name: "Fastify", command: node("fastify.mjs") },
  { name: "Hono", command: node("hono.mjs") },
  {
    name: "NestJS",
    command: () => {
      // In a folder from which its imports resolve.
      const outfile = fileURLToPath(
        new URL(`../output/nest-${String(process.pid)}.mjs`, import.meta.url),
      );
      buildSync({
        entryPoints: [join(folder, "nest.ts")],
        outfile,
        tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
        bundle: true,
        packages: "external",
        format: "esm",
        platform: "node",
      });
      process.once("exit", () => rmSync(outfile, { force: true }));
      return [process.execPath, outfile];
    },
  },
  { name: "Python http.server", command: python("http_server.py"), needs: [PYTHON, "--version"] },
  { name: "Flask", command: python("flask_app.py"), needs: [PYTHON, "-c", "import flask"] },
  { name: "Django", command: python("django_app.py"), needs: [PYTHON, "-c", "import django"] },
  {
    name: "Go net/http",
    needs: ["go", "version"],
    command: (scratch) => {
      const binary = join(scratch, "receiver");
      execFileSync("go", ["build", "-o", binary, "main.go"], { cwd: folder, stdio: "ignore" });
      return [binary];
    },
  },
  {
    name: "PHP",
    needs: ["php", "-r", "new PDO('sqlite::memory:');"],
    command: () => ["sh", "-c", 'exec php -S 127.0.0.1:"$PORT" index.php'],
  },
  {
    name: "Sinatra",
    needs: ["ruby", "-e", 'require "sinatra/base"; require "sqlite3"; require "webrick"'],
    command: () => ["ruby", "sinatra_app.rb"],
  },
  {
    name: "Java com.sun.net.httpserver",
    needs: ["sh", "-c", "command -v javac && test -e /usr/share/java/jackson-databind.jar"],
    command: () => {
      const jars = ["databind", "core", "annotations"];
      const path = jars.map((one) => `/usr/share/java/jackson-${one}.jar`).join(":");
      // Without it each body waits 40 ms for the acknowledgement of its head.
      return ["java", "-Dsun.net.httpserver.nodelay=true", "-cp", path, "Receiver.java"];
    },
  },
];

export const stockReceivers: readonly Good[] = stock.map((one) => ({
  name: one.name,
  findings: one.library === undefined ? [] : libraryFaults[one.library],
  missing() {
    if (one.needs === undefined) return undefined;
    const [program = "", ...parameters] = one.needs;
    const isThere = spawnSync(program, parameters, { stdio: "ignore" }).status === 0;
    return isThere ? undefined : `\`${one.needs.join(" ")}\` fails here`;
  },
  isStock: true,
  open: () => start(one),
}));

/** Starts a changed copy of a receiver in JavaScript. */
export function startCopy(
  path: string,
  env: Readonly<Record<string, string>>,
): ReturnType<typeof start> {
  const profile = { "express-stripe.mjs": stripe, "express-octokit.mjs": gitHub }[basename(path)];
  return start({ command: () => [process.execPath, path], ...(profile && { profile }) }, env);
}
