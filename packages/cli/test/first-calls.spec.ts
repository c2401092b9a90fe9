import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { firstCalls } from "../src/sandbox-lines.ts";
import { call } from "./admin/administered.ts";
import { TOKEN } from "./fixtures.ts";
import { serveHere, type Served } from "./ran.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

/** The curl lines that a sandbox has printed, made as the shell and curl would make them. */
function callsOf({ stderr }: Served) {
  const lines = stderr().match(/(?<=^ +)curl .*$/gm) ?? [];
  return lines.map((line, index) => {
    // Any curl of the last twenty years knows these options.
    const options = new Set(line.match(/(?<= )--?[a-zA-Z]+(?= )/g));
    expect([...options].filter((option) => !["-H", "-d", "-X"].includes(option))).toEqual([]);
    const body = / -d '(.*)' /.exec(line)?.[1]?.replace("'$(date +%s)'", String(index));
    const method = / -X (\w+) /.exec(line)?.[1] ?? (body === undefined ? "GET" : "POST");
    const url = / (\S+)$/.exec(line)?.[1] ?? "";
    expect(line).toContain('-H "authorization: Bearer $TOKEN"');
    expect(line.includes('-H "content-type: application/json"')).toBe(body !== undefined);
    const json = body === undefined ? undefined : (JSON.parse(body) as object);
    const make = () => call(url, TOKEN, "", json, method);
    return { path: new URL(url).pathname, make };
  });
}

function sandbox(folder: string, ...more: string[]): Promise<Served> {
  const database = join(folder, "sandbox.db");
  const args = ["sandbox", "--port", "0", "--database", database, "--examples", ...more];
  return serveHere(args, { COUNTERSIGN_TOKEN: TOKEN });
}

describe("the curl calls that the sandbox prints", () => {
  it("run as printed: a subscription, a refund, and the days until it is authorized", async () => {
    const folder = temporaryFolder();
    const one = await sandbox(folder);
    const calls = callsOf(one);
    expect(calls.map(({ path }) => path)).toEqual([
      "/sandbox/payments",
      "/v1/webhook/subscribe",
      "/v1/refunds",
      "/sandbox/clock",
      "/sandbox/deliveries",
    ]);
    expect(one.stderr()).toContain("--deliver-to");
    const answers = [];
    for (const { make } of calls) answers.push(await make());
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 200, 200]);
    const [, , refund, clock, deliveries] = answers.map(({ text }) => text);
    expect(refund).toContain('"paymentStatus":"PENDING"');
    expect(clock).toContain('"instants":["');
    expect(deliveries).toContain("refund.authorized");

    expect(await one.end()).toBe(0);
    // After a restart they name a payment that can still be refunded; --deliver-to has subscribed already.
    const again = callsOf(await sandbox(folder, "--deliver-to", "http://localhost:9/webhooks"));
    expect(again.map(({ path }) => path)).not.toContain("/v1/webhook/subscribe");
    const next = again.find(({ path }) => path === "/v1/refunds");
    expect((await next?.make())?.status).toBe(201);
  });

  it("name no refund if no payment is refundable", () => {
    const about = { url: "http://localhost:1", token: "$T", paymentId: undefined };
    expect(firstCalls({ ...about, isSubscribed: true }).join("\n")).not.toContain("/v1/refunds");
  });
});
