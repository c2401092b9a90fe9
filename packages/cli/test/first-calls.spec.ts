import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { firstCalls } from "../src/first-calls.ts";
import { serveHere, type Served } from "./serve-here.ts";
import { temporaryFolder } from "./start-command.ts";

const TOKEN = "a-token-of-sixteen-characters-or-more";

/** The curl lines that a sandbox has printed, made as the shell and curl would make them. */
function callsOf({ stderr }: Served) {
  const lines = stderr().match(/(?<=^ +)curl .*$/gm) ?? [];
  return lines.map((line, index) => {
    // Every option that a line has is known to any curl of the last twenty years.
    const options = new Set(line.match(/(?<= )--?[a-zA-Z]+(?= )/g));
    expect([...options].filter((option) => !["-H", "-d", "-X"].includes(option))).toEqual([]);
    const body = / -d '(.*)' /.exec(line)?.[1]?.replace("'$(date +%s)'", String(index));
    const method = / -X (\w+) /.exec(line)?.[1] ?? (body === undefined ? "GET" : "POST");
    const url = / (\S+)$/.exec(line)?.[1] ?? "";
    expect(line).toContain('-H "authorization: Bearer $TOKEN"');
    expect(line.includes('-H "content-type: application/json"')).toBe(body !== undefined);
    const make = async (): Promise<{ status: number; text: string }> => {
      const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
      const answer = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
      return { status: answer.status, text: await answer.text() };
    };
    return { path: new URL(url).pathname, body, make };
  });
}

function sandbox(folder: string, ...more: string[]): Promise<Served> {
  const args = ["sandbox", "--port", "0", "--database", join(folder, "sandbox.db"), ...more];
  return serveHere(args, { COUNTERSIGN_TOKEN: TOKEN });
}

describe("the calls that the sandbox prints to try", () => {
  it("work as they are printed: a subscription, a refund, and the week that it waits for", async () => {
    const one = await sandbox(temporaryFolder());
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
    for (const call of calls) answers.push(await call.make());
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 200, 200]);
    const [, , refund, clock, deliveries] = answers.map(({ text }) => text);
    expect(refund).toContain('"paymentStatus":"PENDING"');
    expect(clock).toContain('"instants":["');
    expect(deliveries).toContain("refund.authorized");
  });

  it("name a payment that can be refunded after a restart too", async () => {
    const folder = temporaryFolder();
    expect(await (await sandbox(folder)).end()).toBe(0);
    const refund = callsOf(await sandbox(folder)).find(({ path }) => path === "/v1/refunds");
    expect((await refund?.make())?.status).toBe(201);
  });

  it("do not subscribe where --deliver-to has", async () => {
    const one = await sandbox(temporaryFolder(), "--deliver-to", "http://localhost:9/webhooks");
    expect(callsOf(one).map(({ path }) => path)).not.toContain("/v1/webhook/subscribe");
  });

  it("name no payment where there is none", () => {
    const about = { url: "http://localhost:1", token: "$T", paymentId: undefined };
    expect(firstCalls({ ...about, isSubscribed: true }).join("\n")).not.toContain("/v1/refunds");
  });
});
