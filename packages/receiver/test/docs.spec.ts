import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createReceiver } from "@countersign/receiver";
import type { FetchRequest } from "@countersign/receiver/fetch";
import type { toLambda } from "@countersign/receiver/lambda";
import type { toNode } from "@countersign/receiver/node";
import {
  github,
  type ProviderDocument,
  standardWebhooks,
  stripe,
} from "@countersign/receiver/providers";
import { signedAttempt } from "@countersign/receiver/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { listenInTest } from "./adapters/mounted.ts";
import { exchange, linesOf, post, request as requestOf } from "./adapters/wire.ts";
import { secret } from "./fixtures.ts";
import { sqliteInTest } from "./inboxes/in-test.ts";
import { testPort } from "./inboxes/servers.ts";
import { stripeEvent, stripePages } from "./reconcile-list.ts";

const vendorSecret = "whsec_made_up_for_these_pages";
const docs = fileURLToPath(new URL("../../../docs/", import.meta.url));
// Inside the package, where Node.js finds its dependencies; ignored by Git.
const output = fileURLToPath(new URL("output/", import.meta.url));

/** Writes the printed code to a module and returns its path. */
function written(folder: string, name: string, code: string): string {
  const file = join(output, folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, code);
  return file;
}

/** Sends an event as a vendor signs it to the route of that vendor. */
async function sendAs(
  provider: ProviderDocument,
  port: number,
  event: object,
  headers: Readonly<Record<string, string>> = {},
  name = `/${provider.name}`,
): Promise<void> {
  const secrets = [provider === standardWebhooks ? secret : vendorSecret];
  const attempt = signedAttempt({ provider, secrets, event, headers });
  const lines = linesOf(attempt.headers, attempt.body);
  const target = `/webhooks${name}`;
  const answer = await exchange(port, requestOf(lines, attempt.body, { target }));
  expect(Math.floor(answer.status / 100)).toBe(2);
}

/** Runs printed programs in one process until the test ends, each on its own port. */
async function run(files: readonly string[], send: (port: number) => Promise<void>) {
  const ports = await Promise.all(files.map(testPort));
  const lines = files.map(
    (file, index) =>
      `process.env.PORT = "${String(ports[index])}"; await import(${JSON.stringify(file)});`,
  );
  const flags = ["--input-type=module", "-e"];
  const app: ChildProcess = spawn(process.execPath, [...flags, lines.join("\n")], {
    env: {
      ...process.env,
      WEBHOOK_SECRET: secret,
      STRIPE_WEBHOOK_SECRET: vendorSecret,
      GITHUB_WEBHOOK_SECRET: vendorSecret,
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(async () => {
    app.kill();
    await once(app, "exit");
  });
  let text = "";
  app.stdout?.setEncoding("utf8").on("data", (data: string) => (text += data));
  for (const port of ports) {
    await vi.waitFor(() => send(port), 30_000);
  }
  return { ports, printed: () => text };
}

beforeAll(() => {
  vi.stubEnv("WEBHOOK_SECRET", secret);
  // The printed code logs and warns as it does for a reader.
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  vi.spyOn(console, "log").mockImplementation(() => undefined);
});
afterAll(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it("the READMEs have code that runs as printed and prints each event", async () => {
  const files = ["../../../README.md", "../README.md"].map((path, index) => {
    const readme = readFileSync(new URL(path, import.meta.url), "utf8");
    return written(
      "",
      `readme-${String(index)}.ts`,
      /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "",
    );
  });
  const { ports, printed } = await run(files, (port) => sendAs(stripe, port, paid()));
  const [port = 0] = ports;
  await sendAs(stripe, port, { ...paid("evt_2"), type: "invoice.paid" });
  await sendAs(stripe, port, { ...paid("evt_3"), type: "report.ready" });
  const handled = "paid: evt_1\n".repeat(ports.length);
  const more = "invoice.paid\nno handler for report.ready\n";
  await vi.waitFor(() => expect(printed()).toBe(handled + more));
});

describe("the guides", () => {
  const names = ["rotation", "many-tenants", "production", "inboxes"];
  /** Imports the blocks of a page as one module. */
  function load(name: string): Promise<unknown> {
    const page = readFileSync(`${docs}guides/${name}.md`, "utf8");
    const blocks = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
    expect(new Set(blocks.map(([, language]) => language))).toEqual(new Set(["ts"]));
    const joined = blocks.map(([, , text = ""]) => text).join("\n");
    // A block that is copied by itself repeats an import.
    const code = joined.replaceAll(/^(import .*;)$(?=[^]*^\1$)/gm, "");
    // The tests that testing.md prints are registered below.
    expect(code).toMatch(/assert\.|\bexpect\w*\(/);
    return import(written("docs", `${name}.ts`, code));
  }

  it.each([...names, "transactions", "order"])(
    "have only TypeScript that runs in %s",
    async (name) => {
      const before = tmpdir();
      const folder = mkdtempSync(join(before, "countersign-docs-"));
      vi.stubEnv("TMPDIR", folder);
      onTestFinished(() => {
        vi.stubEnv("TMPDIR", before);
        rmSync(folder, { recursive: true, force: true });
      });
      await expect(load(name)).resolves.toBeDefined();
    },
  );

  // Registers the tests that the page prints.
  describe("in testing.md", async () => {
    await load("testing");
  });
});

it("the guide to reconciliation has code that handles an event of Stripe's list", async () => {
  const guide = readFileSync(`${docs}guides/reconcile.md`, "utf8");
  const [, code = ""] = /^```ts\n([^]*?)^```$/m.exec(guide) ?? [];
  const { catchUp } = (await import(written("docs", "reconcile.ts", code))) as {
    catchUp: (receiver: object) => Promise<void>;
  };
  const handled: string[] = [];
  const receiver = createReceiver({
    provider: stripe,
    secrets: [vendorSecret],
    fallback: ({ id }) => void handled.push(id),
    inbox: sqliteInTest(),
    log: false,
  });
  const pages = stripePages([stripeEvent(1, { at: Date.now() - 3_600_000 })]);
  vi.stubGlobal("fetch", async (url: string) => Response.json(pages({ url: new URL(url) }).body));
  onTestFinished(() => void vi.unstubAllGlobals());

  await catchUp(receiver);

  expect(handled).toEqual(["evt_1"]);
});

/** Writes the named programs of a page. @returns Their paths by name. */
function programs(page: string, folder: string): ReadonlyMap<string, string> {
  const text = readFileSync(`${docs}${page}.md`, "utf8");
  const blocks = [...text.matchAll(/^```ts (\S+)\n([\s\S]*?)^```$/gm)];
  // No block is without a name, and so without a test.
  expect(text.match(/^```/gm)).toHaveLength(2 * blocks.length);
  return new Map(blocks.map(([, name = "", code = ""]) => [name, written(folder, name, code)]));
}

const created = (): number => Math.floor(Date.now() / 1000);
const paid = (id = "evt_1") => ({ id, type: "checkout.session.completed", created: created() });

describe("the page of frameworks", () => {
  const files = programs("start/frameworks", "frameworks");
  const load = (name: string): Promise<unknown> => import(files.get(name) ?? name);
  const attemptAt = () =>
    signedAttempt({ provider: stripe, secrets: [vendorSecret], event: paid() });
  beforeAll(() => vi.stubEnv("STRIPE_WEBHOOK_SECRET", vendorSecret));

  it("has servers that handle an attempt and refuse another", { tags: "ci" }, async () => {
    // The packages of the others are installed by a test in test/packages, which runs them.
    const names = ["express-behind-parser.ts", "fastify.ts", "hono.ts", "node.ts"];
    const servers = names.map((name) => files.get(name) ?? name);
    const send = (port: number) => sendAs(stripe, port, paid(`evt_${String(port)}`), {}, "");
    const { ports, printed } = await run(servers, send);
    for (const port of ports)
      expect((await post(port, attemptAt(), "Stripe-Signature: v1=0")).status).toBe(401);
    const lines = ports.map((port) => `paid: evt_${String(port)}`);
    await vi.waitFor(() =>
      expect(printed().trim().split("\n").toSorted()).toEqual(lines.toSorted()),
    );
  });

  it("has modules for Next.js, Workers and Lambda that handle an attempt", async () => {
    type Answer = (request: FetchRequest) => Promise<Response>;
    const { headers, body } = attemptAt();
    const request = () =>
      new Request("http://localhost/webhooks", {
        method: "POST",
        headers,
        body: Buffer.from(body),
      });
    const worker = (await load("worker.ts")) as { default: { fetch: Answer } };
    expect((await worker.default.fetch(request())).status).toBe(204);
    const route = (await load("app/webhooks/route.ts")) as { POST: Answer; runtime: string };
    expect((await route.POST(request())).status).toBe(204);
    expect(route.runtime).toBe("nodejs");
    const lambda = (await load("lambda.ts")) as { handler: ReturnType<typeof toLambda> };
    const event = { httpMethod: "POST", headers, body: Buffer.from(body).toString() };
    expect(await lambda.handler(event)).toMatchObject({ statusCode: 204 });

    const page = (await load("next-page.ts")) as {
      default: ReturnType<typeof toNode>;
      config: object;
    };
    expect(page.config).toEqual({ api: { bodyParser: false } });
    const { port } = await listenInTest(
      createServer((incoming, outgoing) => void page.default(incoming, outgoing)),
    );
    expect((await post(port, attemptAt())).status).toBe(204);
  });
});

describe("the page of migrations", () => {
  const files = programs("guides/migrating", "migrating");

  it.each([
    ["stripe", stripe, () => ({ ...paid(), type: "invoice.paid" }), {}],
    [
      "octokit",
      github,
      () => ({ action: "opened", number: 7 }),
      { "X-GitHub-Event": "pull_request", "X-GitHub-Delivery": "5b1d" },
    ],
    [
      "svix",
      standardWebhooks,
      () => ({ id: "evt_1", type: "invoice.paid", timestamp: new Date().toISOString(), data: {} }),
      {},
    ],
  ] as const)(
    "has programs with %s and without it that print the same of one event",
    { tags: "ci" },
    async (name, provider, event, headers) => {
      for (const side of ["before", "after"]) {
        // oxlint-disable-next-line no-await-in-loop -- they use the same variables
        const { printed } = await run([files.get(`${name}-${side}.ts`) ?? ""], (port) =>
          sendAs(provider, port, event(), headers),
        );
        const line = { stripe: "paid: evt_1", octokit: "opened: 7", svix: "paid" }[name];
        // oxlint-disable-next-line no-await-in-loop
        await vi.waitFor(() => expect(printed()).toBe(`${line}\n`));
      }
    },
  );

  it("has a function that only verifies", async () => {
    const { verified } = (await import(files.get("verify-only.ts") ?? "")) as {
      verified: (headers: object, body: Uint8Array) => object | undefined;
    };
    vi.stubEnv("STRIPE_WEBHOOK_SECRET", vendorSecret);
    const { headers, body } = signedAttempt({
      provider: stripe,
      secrets: [vendorSecret],
      event: paid(),
    });
    expect(verified(headers, body)).toMatchObject({ id: "evt_1" });
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    expect(verified(headers, body.subarray(1))).toBeUndefined();
  });
});
