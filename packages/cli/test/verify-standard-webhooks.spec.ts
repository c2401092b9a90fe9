import { writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { makeEffects } from "../../contract-kit/test/receiver/make-effects.ts";
import { listen } from "../../service/test/sandbox/listen.ts";
import { SECRET } from "./fixtures.ts";
import { ran } from "./ran.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

/** A receiver as the library's guide has it: verification, one row for each id, an effects route. */
async function openStockReceiver() {
  const effects = makeEffects({ handlerMs: 0 });
  const statuses = new Map<string, number>();
  const types = new Set<unknown>();
  const statusOf = async (request: IncomingMessage): Promise<number> => {
    const body = (await buffer(request)).toString();
    if (request.method !== "POST") return 405;
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    let event;
    try {
      new Webhook(SECRET).verify(body, headers);
      event = JSON.parse(body) as { readonly type?: unknown } | null;
    } catch {
      return 400;
    }
    const id = headers["webhook-id"] ?? "";
    const known = statuses.get(id);
    if (known !== undefined) return known;
    statuses.set(id, 503);
    const type = typeof event?.type === "string" ? event.type : "";
    types.add(type);
    try {
      await effects.handle({ id, type, data: undefined });
      statuses.set(id, 204);
      return 204;
    } catch {
      statuses.delete(id);
      return 500;
    }
  };
  const url = await listen((request, response) => {
    if (request.url === "/effects") void effects.answer(request, response);
    else
      statusOf(request).then(
        (status) => response.writeHead(status).end(),
        // A stranger has ended the connection in the middle of a body.
        () => undefined,
      );
  });
  return { url, types };
}

it(
  "countersign verify receiver --provider standard-webhooks passes a stock receiver with standardwebhooks, whose events have no id in the body and are the user's samples",
  { tags: "ci", timeout: 180_000 },
  async () => {
    const samples = temporaryFolder();
    const sample = '{"type":"invoice.paid","data":{"id":"inv_1","total":5}}';
    writeFileSync(join(samples, "a.json"), sample);
    const { url, types } = await openStockReceiver();
    const at = ["--url", `${url}/hooks`, "--effects-url", `${url}/effects`, "--samples", samples];
    const args = ["verify", "receiver", "--provider", "standard-webhooks", ...at];
    const { status, out } = await ran(args, { COUNTERSIGN_SECRET: SECRET });
    expect([status, out.match(/^FAIL[\s\S]*?received:/gm)]).toEqual([0, null]);
    expect(out).not.toMatch(/payment|refund|customer/i);
    expect(types).toContain("invoice.paid");
  },
);
