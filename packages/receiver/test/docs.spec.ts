import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FetchRequest } from "@countersign/receiver/fetch";
import type { toNode } from "@countersign/receiver/node";
import { github, type ProviderDocument, stripe } from "@countersign/receiver/providers";
import { signedAttempt } from "@countersign/receiver/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { listenInTest } from "./adapters/mounted.ts";
import { exchange, linesOf, post, request as requestOf } from "./adapters/wire.ts";
import { attemptOf, refundAuthorized, secret } from "./fixtures.ts";
import { testPort } from "./inboxes/servers.ts";

const vendorSecret = "whsec_made_up_for_these_pages";
const docs = fileURLToPath(new URL("../../../docs/guides/", import.meta.url));
// Inside the package, where Node.js finds its dependencies; ignored by Git.
const output = fileURLToPath(new URL("output/", import.meta.url));

/** Writes the printed code to a module and returns its path. */
function written(folder: string, name: string, code: string): string {
  mkdirSync(join(output, folder), { recursive: true });
  const file = join(output, folder, name);
  writeFileSync(file, code);
  return file;
}

/** A genuine attempt at the real time, as the printed programs verify it. */
const genuine = (event: object = refundAuthorized()) => attemptOf(event, { now: Date.now() });

/** Sends a new event, since the servers share a receiver. */
async function sendRefund(port: number): Promise<void> {
  const attempt = genuine(refundAuthorized(`evt_${String(port)}`));
  expect((await post(port, attempt)).status).toBe(204);
}

/** Sends an event as a vendor signs it to the route of that vendor. */
async function sendAs(
  provider: ProviderDocument,
  port: number,
  event: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const attempt = signedAttempt({ provider, secrets: [vendorSecret], event, headers });
  const lines = linesOf(attempt.headers, attempt.body);
  const target = `/webhooks/${provider.name}`;
  const answer = await exchange(port, requestOf(lines, attempt.body, { target }));
  expect(answer.status).toBe(204);
}

/** Runs printed programs in one process until the test ends, each on its own port. */
async function run(files: readonly string[], send = sendRefund) {
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
  const created = Math.floor(Date.now() / 1000);
  const paid = { id: "evt_1", type: "checkout.session.completed", created };
  const { ports, printed } = await run(files, (port) => sendAs(stripe, port, paid));
  const [port = 0] = ports;
  await sendAs(stripe, port, { ...paid, id: "evt_2", type: "invoice.paid" });
  await sendAs(stripe, port, { ...paid, id: "evt_3", type: "report.ready" });
  const opened = { action: "opened", pull_request: "the change" };
  const headers = { "X-GitHub-Event": "pull_request", "X-GitHub-Delivery": "5b1d" };
  await sendAs(github, port, opened, headers);
  const handled = "paid: evt_1\n".repeat(ports.length);
  const more = "invoice.paid\nno handler for report.ready\nthe change\n";
  await vi.waitFor(() => expect(printed()).toBe(handled + more));
});

describe("the guides", () => {
  const names = ["rotation", "many-tenants", "production", "migrating", "inboxes"];
  /** Imports the blocks of a page as one module. */
  function load(name: string): Promise<unknown> {
    const page = readFileSync(`${docs}${name}.md`, "utf8");
    const blocks = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
    expect(new Set(blocks.map(([, language]) => language))).toEqual(new Set(["ts"]));
    const code = blocks.map(([, , text = ""]) => text).join("\n");
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

describe("the guide to mounting", () => {
  const guide = readFileSync(`${docs}mounting.md`, "utf8");
  const files = new Map<string, string>();
  for (const [, name = "", code = ""] of guide.matchAll(/^```ts (\S+)\n([\s\S]*?)^```$/gm))
    files.set(name, written("mounting", name, code));
  const load = (name: string): Promise<unknown> => import(files.get(name) ?? name);
  const servers = ["express-behind-parser.ts", "node.ts", "hono.ts"];

  it("has exactly these programs", () => {
    const all = ["receiver.ts", "next-page.ts", "worker.ts", ...servers];
    expect([...files.keys()].toSorted()).toEqual(all.toSorted());
    expect(guide.match(/^```/gm)).toHaveLength(2 * files.size);
  });

  it("has servers that handle an attempt and refuse another", async () => {
    const { ports, printed } = await run(servers.map((name) => files.get(name) ?? name));
    for (const port of ports)
      expect((await post(port, genuine(), "webhook-id: evt_2")).status).toBe(401);
    await vi.waitFor(() => expect(printed()).toBe("on its way back: ref_1\n".repeat(ports.length)));
  });

  it("has modules for Next.js and Workers that handle an attempt", async () => {
    type Answer = (request: FetchRequest) => Promise<Response>;
    const worker = (await load("worker.ts")) as { default: { fetch: Answer } };
    const { headers, body } = genuine();
    const request = new Request("http://localhost/webhooks", {
      method: "POST",
      headers,
      body: Buffer.from(body),
    });
    expect((await worker.default.fetch(request)).status).toBe(204);

    const page = (await load("next-page.ts")) as {
      default: ReturnType<typeof toNode>;
      config: object;
    };
    expect(page.config).toEqual({ api: { bodyParser: false } });
    const { port } = await listenInTest(
      createServer((incoming, outgoing) => void page.default(incoming, outgoing)),
    );
    expect((await post(port, genuine())).status).toBe(204);
  });
});
