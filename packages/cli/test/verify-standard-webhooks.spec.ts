import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { receiverChecks, requirements } from "@countersign/contract-kit";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { makeEffects } from "../../contract-kit/test/receiver/make-effects.ts";
import { listen } from "../../sandbox/test/listen.ts";
import { SECRET } from "./fixtures.ts";
import { ran } from "./ran.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

/** A receiver as the library's guide has it: verification, one row for each id, an effects route. */
function receiverWith(verify: (body: string, headers: Record<string, string>) => unknown) {
  const effects = makeEffects({ handlerMs: 0 });
  const statuses = new Map<string, number>();
  const statusOf = async (request: IncomingMessage): Promise<number> => {
    const body = (await buffer(request)).toString();
    if (request.method !== "POST") return 405;
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    let event;
    try {
      verify(body, headers);
      event = JSON.parse(body) as { readonly type?: unknown } | null;
    } catch {
      return 400;
    }
    const id = headers["webhook-id"] ?? "";
    const known = statuses.get(id);
    if (known !== undefined) return known;
    statuses.set(id, 503);
    const type = typeof event?.type === "string" ? event.type : "";
    try {
      await effects.handle({ id, type, data: undefined });
      statuses.set(id, 204);
      return 204;
    } catch {
      statuses.delete(id);
      return 500;
    }
  };
  return listen((request, response) => {
    if (request.url === "/effects") void effects.answer(request, response);
    else void statusOf(request).then((status) => response.writeHead(status).end());
  });
}

const args = (url: string, ...more: readonly string[]): string[] =>
  ["verify", "receiver", "--standard-webhooks", "--url", `${url}/hooks`].concat(
    ["--effects-url", `${url}/effects`],
    more,
  );
const env = { COUNTERSIGN_SECRET: SECRET };

describe("countersign verify receiver --standard-webhooks", () => {
  it("passes a stock receiver with standardwebhooks, whose events have no id in the body", async () => {
    const url = await receiverWith((body, headers) => new Webhook(SECRET).verify(body, headers));
    const { status, out } = await ran(args(url), env);
    expect([status, out]).toEqual([0, expect.any(String)]);
    expect(out).not.toMatch(/payment|refund|customer|amount|money/i);
  });

  it("varies the samples of a folder, and fails a receiver that verifies nothing", async () => {
    const folder = join(temporaryFolder(), "samples");
    mkdirSync(folder);
    writeFileSync(
      join(folder, "a.json"),
      '{"type":"invoice.paid","data":{"id":"inv_1","total":5}}',
    );
    const url = await receiverWith(() => undefined);
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
