import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import type { FetchRequest } from "@countersign/receiver/fetch";
import type { LambdaAnswer, LambdaEvent } from "@countersign/receiver/lambda";
import type { toNode } from "@countersign/receiver/node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { refundAuthorized, secret } from "../fixtures.ts";
import { freePort } from "../free-port.ts";
import { signedAttempt } from "@countersign/receiver/testing";
import { listen } from "./mounts.ts";
import { exchange, linesOf, request } from "./wire.ts";

const guide = readFileSync(new URL("../../docs/mounting.md", import.meta.url), "utf8");
const blocks = new Map(
  [...guide.matchAll(/^```ts (\S+)\n([\s\S]*?)^```$/gm)].map(
    ([, name, code]) => [name ?? "", code ?? ""] as const,
  ),
);
const folder = new URL("../output/mounting/", import.meta.url);

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  for (const [name, code] of blocks) writeFileSync(new URL(name, folder), code);
  vi.stubEnv("WEBHOOK_SECRET", secret);
});
afterAll(() => void vi.unstubAllEnvs());

const genuine = (): { headers: Record<string, string>; body: Uint8Array } => {
  const { headers, body } = signedAttempt({ secrets: [secret], event: refundAuthorized() });
  return { headers: { ...headers }, body };
};
const load = async (name: string): Promise<unknown> =>
  import(fileURLToPath(new URL(name, folder))) as Promise<unknown>;

describe("the guide to mounting", () => {
  it("has these programs, and no other code", () => {
    expect([...blocks.keys()]).toEqual([
      "receiver.ts",
      "express.ts",
      "express-behind-parser.ts",
      // Run from the packed package, in packages/dev/test/packed.slow.ts.
      "nest.ts",
      "node.ts",
      "fastify.ts",
      "hono.ts",
      "next-route.ts",
      "next-page.ts",
      "worker.ts",
      "lambda.ts",
    ]);
    expect(guide.match(/^```/gm)).toHaveLength(2 * blocks.size);
  });

  it.each(["express.ts", "express-behind-parser.ts", "node.ts", "fastify.ts", "hono.ts"])(
    "%s listens and handles an attempt, exactly as printed",
    async (name) => {
      const port = await freePort();
      const { app, printed } = run(name, port);
      try {
        const { headers, body } = genuine();
        const attempt = request(linesOf(headers, body), body);
        await vi.waitFor(async () => expect((await exchange(port, attempt)).status).toBe(204), {
          timeout: 10_000,
        });
        const forged = request([...linesOf(headers, body), "webhook-id: evt_2"], body);
        expect((await exchange(port, forged)).status).toBe(401);
        await vi.waitFor(() => expect(printed()).toBe("on its way back: ref_1\n"));
      } finally {
        app.kill();
        await once(app, "exit");
      }
    },
  );

  it("next-route.ts exports a handler of POST", async () => {
    const { POST } = (await load("next-route.ts")) as {
      POST: (request: Request) => Promise<Response>;
    };
    const { headers, body } = genuine();
    const attempt = { method: "POST", headers, body: Buffer.from(body) };
    expect((await POST(new Request("http://localhost/webhooks", attempt))).status).toBe(204);
  });

  it("next-page.ts exports a handler of Node's request, and turns the parser off", async () => {
    const page = (await load("next-page.ts")) as {
      default: ReturnType<typeof toNode>;
      config: object;
    };
    expect(page.config).toEqual({ api: { bodyParser: false } });
    const listening = await listen(
      createServer((incoming, outgoing) => void page.default(incoming, outgoing)),
    );
    const { headers, body } = genuine();
    const reply = await exchange(listening.port, request(linesOf(headers, body), body));
    expect(reply.status).toBe(204);
    listening.close();
  });

  it("worker.ts exports what serves requests", async () => {
    const { default: worker } = (await load("worker.ts")) as {
      default: { fetch: (request: FetchRequest) => Promise<Response> };
    };
    const { headers, body } = genuine();
    const attempt = { method: "POST", headers, body: Buffer.from(body) };
    expect((await worker.fetch(new Request("http://localhost/", attempt))).status).toBe(204);
  });

  it("lambda.ts exports a handler of events", async () => {
    const { handler } = (await load("lambda.ts")) as {
      handler: (event: LambdaEvent) => Promise<LambdaAnswer>;
    };
    const { headers, body } = genuine();
    const event = { httpMethod: "POST", headers, body: Buffer.from(body).toString() };
    expect((await handler(event)).statusCode).toBe(204);
  });
});

function run(name: string, port: number): { app: ChildProcess; printed: () => string } {
  const app = spawn(process.execPath, ["--conditions=@countersign/source", name], {
    cwd: fileURLToPath(folder),
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  app.stdout.setEncoding("utf8").on("data", (data: string) => (text += data));
  return { app, printed: () => text };
}
