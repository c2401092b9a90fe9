import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { receiverChecks, requirements } from "@countersign/contract-kit";
import { Webhook as Standard } from "standardwebhooks";
import { Webhook as Svix } from "svix";
import { describe, expect, it, onTestFinished } from "vitest";
import { SECRET } from "./fixtures.ts";
import { ran } from "./ran.ts";
import { temporaryFolder } from "./start-command.ts";

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** A receiver as the library's guide has it: verification, one row for each id, an effects route. */
async function listen(verify: (body: Buffer, headers: Record<string, string>) => unknown) {
  const done = new Map<string, { eventId: string; type: string; count: number }>();
  let failing = 0;
  const server = createServer((request, response) => {
    const end = (status: number, text?: string): void => void response.writeHead(status).end(text);
    void bodyOf(request).then((body) => {
      if (request.url === "/effects") {
        if (request.method === "GET") return end(200, JSON.stringify([...done.values()]));
        failing = (JSON.parse(body.toString()) as { readonly failNext: number }).failNext;
        return end(204);
      }
      if (request.method !== "POST") return end(405);
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      let event;
      try {
        verify(body, headers);
        event = JSON.parse(body.toString()) as { readonly type?: unknown } | null;
      } catch {
        return end(400);
      }
      const id = headers["webhook-id"] ?? "";
      if (done.has(id)) return end(204);
      if (failing > 0) {
        failing -= 1;
        return end(500);
      }
      const type = typeof event?.type === "string" ? event.type : "";
      done.set(id, { eventId: id, type, count: 1 });
      return end(204);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const args = (url: string, ...more: readonly string[]): string[] =>
  ["verify", "receiver", "--standard-webhooks", "--url", `${url}/hooks`].concat(
    ["--effects-url", `${url}/effects`],
    more,
  );
const env = { COUNTERSIGN_SECRET: SECRET };

describe("countersign verify receiver --standard-webhooks", () => {
  it.each([
    ["standardwebhooks", new Standard(SECRET)],
    ["svix", new Svix(SECRET)],
  ] as const)(
    "passes a stock receiver with %s, whose events have no id in the body",
    async (_, library) => {
      const url = await listen((body, headers) => library.verify(body.toString(), headers));
      const { status, out } = await ran(args(url), env);
      expect([status, out]).toEqual([0, expect.any(String)]);
      expect(out).not.toMatch(/payment|refund|customer|amount|money/i);
    },
  );

  it("varies the samples of a folder, and fails a receiver that verifies nothing", async () => {
    const folder = join(temporaryFolder(), "samples");
    mkdirSync(folder);
    writeFileSync(
      join(folder, "a.json"),
      '{"type":"invoice.paid","data":{"id":"inv_1","total":5}}',
    );
    const url = await listen(() => undefined);
    const { status, out } = await ran(args(url, "--samples", folder), env);
    expect([status, out]).toEqual([1, expect.stringContaining("R-VERIFY-UNSIGNED")]);
  });
});

it("the page of the specification names only requirements and checks that exist", () => {
  const page = readFileSync(
    new URL("../../../docs/guides/standard-webhooks.md", import.meta.url),
    "utf8",
  );
  const ids = [...requirements("receiver"), ...requirements("provider")].map(({ id }) => id);
  const named = page.match(/\b[RP]-[A-Z]+(?:-[A-Z]+)+\b/g) ?? [];
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((id) => !ids.includes(id))).toEqual([]);
  const checks = page.match(/\breceiver\/[a-z-]+/g) ?? [];
  expect(checks.filter((id) => receiverChecks.every((check) => check.id !== id))).toEqual([]);
});
