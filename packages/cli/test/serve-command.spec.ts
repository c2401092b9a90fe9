import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { ran } from "./ran.ts";
import { start, temporaryFolder } from "./start-command.ts";

const client = {
  COUNTERSIGN_CLIENT_ID: "cli_merchant",
  COUNTERSIGN_CLIENT_SECRET: "a-client-secret-of-24-or-more",
};

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
    for (let starts = 1; starts <= 2; starts += 1) {
      const one = start(["serve", "--port", "0"], { folder, env: client });
      const url = await one.ready();
      const headers = { authorization: `Bearer ${await tokenOf(url)}` };
      const answer = await fetch(new URL("/v1/customers/cus_none", url), { headers });
      expect(answer.status).toBe(404);
      expect(await one.end()).toBe(0);
      expect(one.stdout()).toBe(`ready ${url}\n`);
      expect(one.stderr()).not.toContain(client.COUNTERSIGN_CLIENT_SECRET);
    }
  });

  it("has no controls: neither their paths nor their modules", async () => {
    const folder = temporaryFolder();
    const preload = join(folder, "preload.mjs");
    writeFileSync(
      preload,
      `import { registerHooks } from "node:module";
       registerHooks({ resolve: (name, context, next) => {
         const found = next(name, context);
         if (/packages.(sandbox|inspector)/.test(found.url)) process.stderr.write("LOADED " + found.url + "\\n");
         return found;
       } });`,
    );
    const options = { folder, env: client, preload: pathToFileURL(preload).href };
    const one = start(["serve", "--port", "0"], options);
    const url = await one.ready();
    const headers = { authorization: `Bearer ${await tokenOf(url)}` };
    for (const path of ["/sandbox/clock", "/sandbox/payments", "/sandbox/stream", "/inspector/"]) {
      expect([path, (await fetch(new URL(path, url), { headers })).status]).toEqual([path, 404]);
    }
    expect(one.stderr()).not.toContain("LOADED");

    // The same eyes do see the sandbox's modules.
    const other = start(["sandbox", "--port", "0"], options);
    await other.ready();
    expect(other.stderr()).toContain("LOADED");
  });

  it("takes https subscriptions alone", async () => {
    const one = start(["serve", "--port", "0"], { folder: temporaryFolder(), env: client });
    const url = await one.ready();
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
    [{ COUNTERSIGN_CLIENT_ID: "cli_merchant" }, "CS_CLI_ENVIRONMENT_UNUSABLE"],
    [{ ...client, COUNTERSIGN_CLIENT_SECRET: "short" }, "CS_CLI_ENVIRONMENT_UNUSABLE"],
  ])("cannot run with %j", async (env, code) => {
    const database = join(temporaryFolder(), "service.db");
    const { status, out, err } = await ran(["serve", "--port", "0", "--database", database], {
      ...env,
    });
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain(`countersign: ${code}: `);
    expect(err).not.toContain("hush");
  });

  it("cannot run with a client whose secret is another one in the database", async () => {
    const args = ["serve", "--port", "0", "--database", join(temporaryFolder(), "service.db")];
    expect((await ran(args, client)).status).toBe(0);
    const other = { ...client, COUNTERSIGN_CLIENT_SECRET: "another-client-secret-of-24" };
    const { status, err } = await ran(args, other);
    expect(status).toBe(2);
    expect(err).toContain("CS_CLI_CLIENT_REFUSED");
  });
});
