import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ran } from "./ran.ts";
import { serveHere } from "./serve-here.ts";
import { start, temporaryFolder } from "./start-command.ts";

const keys = { COUNTERSIGN_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString("base64")}` };
const client = {
  ...keys,
  COUNTERSIGN_CLIENT_ID: "cli_merchant",
  COUNTERSIGN_CLIENT_SECRET: "a-client-secret-of-24-or-more",
};

/** A database of the test's own. */
const newDatabase = (): string => join(temporaryFolder(), "service.db");

async function tokenOf(url: string): Promise<string> {
  const answer = await fetch(new URL("/v1/tokens", url), {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: client.COUNTERSIGN_CLIENT_ID,
      client_secret: client.COUNTERSIGN_CLIENT_SECRET,
    }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

describe("countersign serve", () => {
  it("serves the interface to the environment's client, and ends with 0 when it is asked to", async () => {
    const folder = temporaryFolder();
    const use = async (url: string): Promise<number> => {
      const headers = { authorization: `Bearer ${await tokenOf(url)}` };
      return (await fetch(new URL("/v1/customers/cus_none", url), { headers })).status;
    };
    const one = start(["serve", "--port", "0"], { folder, env: client });
    const url = await one.ready();
    expect(await use(url)).toBe(404);
    expect(await one.end()).toBe(0);
    expect(one.stdout()).toBe(`ready ${url}\n`);
    expect(one.stderr()).not.toContain(client.COUNTERSIGN_CLIENT_SECRET);

    // The client is there already at the second start.
    const database = join(folder, ".countersign", "service.db");
    const again = await serveHere(["serve", "--port", "0", "--database", database], client);
    expect(await use(again.url)).toBe(404);
    expect(again.stderr()).not.toContain(client.COUNTERSIGN_CLIENT_SECRET);
  });

  it("takes https subscriptions alone", async () => {
    const args = ["serve", "--port", "0", "--database", newDatabase()];
    const { url } = await serveHere(args, client);
    const subscribe = async (to: string) => {
      const answer = await fetch(new URL("/v1/webhook/subscribe", url), {
        method: "POST",
        headers: {
          authorization: `Bearer ${await tokenOf(url)}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({
          url: to,
          secretKey: "a-secret-of-24-characters-or-more",
          subscriptionDetails: { type: "ALL" },
        }),
      });
      return answer.status;
    };
    expect(await subscribe("http://localhost:3000/")).toBe(400);
    expect(await subscribe("https://merchant.example/")).toBe(200);
  });

  it.each<[object, string]>([
    [
      { COUNTERSIGN_DATABASE_URL: "postgres://user:hush@db/countersign" },
      "CS_CLI_ENVIRONMENT_UNUSABLE",
    ],
    [{ ...keys, COUNTERSIGN_CLIENT_ID: "cli_merchant" }, "CS_CLI_ENVIRONMENT_UNUSABLE"],
    [{ ...client, COUNTERSIGN_EGRESS_PROXY: "socks5://proxy" }, "CS_CLI_ENVIRONMENT_UNUSABLE"],
    [{ ...client, COUNTERSIGN_SIGNING_KEYS: "whsec_c2hhcmVk" }, "CS_CLI_ENVIRONMENT_UNUSABLE"],
    [{ ...client, COUNTERSIGN_CLIENT_SECRET: "short" }, "CS_CLI_ENVIRONMENT_UNUSABLE"],
  ])("cannot run with %j", async (env, code) => {
    const args = ["serve", "--port", "0", "--database", newDatabase()];
    const { status, out, err } = await ran(args, { ...env });
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain(`countersign: ${code}: `);
    expect(err).not.toContain("hush");
  });

  it("cannot run with a client whose secret is another one in the database", async () => {
    const args = ["serve", "--port", "0", "--database", newDatabase()];
    expect((await ran(args, client)).status).toBe(0);
    const other = { ...client, COUNTERSIGN_CLIENT_SECRET: "another-client-secret-of-24" };
    const { status, err } = await ran(args, other);
    expect(status).toBe(2);
    expect(err).toContain("CS_CLI_CLIENT_REFUSED");
  });
});

describe("countersign serve, watched by those who run it", () => {
  it("tells its metrics to who has the token, and logs JSON lines", async () => {
    const env = { ...client, COUNTERSIGN_METRICS_TOKEN: "a-token-for-metrics" };
    const one = await serveHere(["serve", "--port", "0", "--database", newDatabase()], env);
    const { url } = one;
    await tokenOf(url);
    expect((await fetch(new URL("/metrics", url))).status).toBe(401);
    const headers = { authorization: "Bearer a-token-for-metrics" };
    const text = await (await fetch(new URL("/metrics", url), { headers })).text();
    expect(text).toContain(
      'countersign_http_requests_total{method="POST",route="/v1/tokens",status="200"} 1',
    );
    expect(text).toContain("process_resident_memory_bytes");
    await one.end();
    const lines = one.stderr().match(/^\{.*\}$/gm) ?? [];
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: "info", message: "call", route: "/v1/tokens", status: 200 },
      { level: "info", route: "/metrics", status: 401 },
      { level: "info", route: "/metrics", status: 200 },
    ]);
    expect(one.stderr()).not.toContain("a-token-for-metrics");
  });

  it("is not ready any more, and still takes calls, for as long as it drains", async () => {
    const args = ["serve", "--port", "0", "--drain", "30"];
    const one = start(args, { folder: temporaryFolder(), env: client });
    const url = await one.ready();
    const status = async (path: string): Promise<number> =>
      (await fetch(new URL(path, url))).status;
    expect(await status("/readyz")).toBe(200);
    one.process.kill("SIGTERM");
    // Processes on a loaded machine take their time.
    await expect.poll(() => status("/readyz"), { timeout: 25_000 }).toBe(503);
    expect(await status("/v1/customers/c")).toBe(401);
    // The second one ends the process at once.
    one.process.kill("SIGTERM");
    await one.exited;
  });

  it.each([
    ["no file", undefined, "CS_CLI_ISSUER_UNUSABLE"],
    ["no JSON", "{", "CS_CLI_ISSUER_UNUSABLE"],
    ["no issuer", "null", "CS_CLI_ISSUER_UNUSABLE"],
    ["shared keys", '{"algorithms":["HS256"]}', "CS_CLI_ISSUER_UNUSABLE"],
  ])("cannot run with a token issuer of which there is %s", async (_, text, code) => {
    const folder = temporaryFolder();
    const file = join(folder, "issuer.json");
    if (text !== undefined) writeFileSync(file, text);
    const database = join(folder, "service.db");
    const args = ["serve", "--port", "0", "--database", database, "--token-issuer", file];
    const { status, err } = await ran(args, {});
    expect(status).toBe(2);
    expect(err).toContain(`countersign: ${code}: `);
  });

  it.each(["10.0.0.0/33", "proxy.example", "1.2.3.4/8/8", ""])(
    "cannot run with the proxy %j",
    async (network) => {
      const { status, err } = await ran(["serve", "--port", "0", "--trust-proxy", network], {});
      expect(status).toBe(2);
      expect(err).toContain("must be an address");
    },
  );
});
