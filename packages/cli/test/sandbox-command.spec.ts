import { readFileSync, statSync, writeFileSync } from "node:fs";
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import { standardWebhooks } from "@countersign/signatures";
import { describe, expect, it, onTestFinished } from "vitest";
import { openReceiver } from "../../service/test/sandbox/open-sandbox.ts";
import { call } from "./service-data.ts";
import { failedWith, READY, SECRET, TOKEN } from "./fixtures.ts";
import { ran, serveHere, told, type Served } from "./ran.ts";
import { start } from "./start-command.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

type Env = Readonly<Record<string, string>>;
const newDatabase = (): string => join(temporaryFolder(), "sandbox.db");
const argsOf = (database: string, ...more: readonly string[]): string[] =>
  ["sandbox", "--port", "0", "--database", database].concat(more);
const sandbox = (database: string, more: readonly string[] = [], env?: Env): Promise<Served> =>
  serveHere(argsOf(database, ...more), env);

async function takePort(wanted = 0): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => {
    // Taken by somebody else is as good.
    server.once("error", () => resolve());
    server.listen(wanted, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo | null)?.port ?? wanted;
}

describe("countersign sandbox", () => {
  it("prints one line on stdout, exits with 0 at SIGINT, and keeps its data and its token", async () => {
    const folder = temporaryFolder();
    const first = start(["sandbox", "--port", "0"], { folder });
    const url = await first.ready();
    expect(url).toEqual(READY);
    const database = join(folder, ".countersign/sandbox.db");
    const token = readFileSync(`${database}.token`, "utf8").trim();
    const made = await call(url, token, "/sandbox/customers", { firstName: "Zoë" });
    expect(made.status).toBe(201);
    expect(await first.end("SIGINT")).toBe(0);
    expect(first.stdout()).toBe(`ready ${url}\n`);
    expect(told(first, "API token")).toBe(token);
    expect(statSync(`${database}.token`).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, ".countersign")).mode & 0o777).toBe(0o700);

    const second = await sandbox(database);
    expect(told(second, "API token")).toBe(token);
    expect((await call(second.url, token, "/sandbox/customers")).text).toContain("Zoë");
    expect(await second.end()).toBe(0);

    const { status, out, err } = await ran(argsOf(database, "--json"));
    const files = { database, tokenFile: `${database}.token`, secretFile: null };
    expect([status, JSON.parse(out)]).toEqual([0, { ready: READY, profile: "standard", ...files }]);
    expect(told({ stderr: () => err }, "API token")).toBe(token);
    expect(out).not.toContain(token);
  });

  it("takes its token from the environment or a file and does not print it", async () => {
    const database = newDatabase();
    const file = join(temporaryFolder(), "token");
    writeFileSync(file, `${TOKEN}\n`);
    for (const env of [{ COUNTERSIGN_TOKEN: TOKEN }, { COUNTERSIGN_TOKEN_FILE: file }]) {
      const one = await sandbox(database, [], env);
      expect((await call(one.url, TOKEN, "/sandbox/clock")).status).toBe(200);
      expect(await one.end()).toBe(0);
      expect(one.stderr()).not.toContain(TOKEN);
    }
  });

  it("makes the same ids for the same seed only", async () => {
    const payment = async (seed: string): Promise<string> => {
      const one = await sandbox(newDatabase(), ["--seed", seed], { COUNTERSIGN_TOKEN: TOKEN });
      const { text } = await call(one.url, TOKEN, "/sandbox/payments");
      return /"paymentId":"(\w+)"/.exec(text)?.[1] ?? "";
    };
    const [one, same, other] = await Promise.all([payment("7"), payment("7"), payment("8")]);
    expect(one).toMatch(/^pay_/);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  it("fails if --port is in use, and moves on from a default port in use", async () => {
    const port = String(await takePort());
    const refused = await ran(["sandbox", "--port", port, "--database", newDatabase()]);
    expect(refused).toEqual(failedWith("PORT_TAKEN"));
    expect(refused.err).toContain(port);
    await takePort(4010);
    const one = await serveHere(["sandbox", "--database", newDatabase()]);
    expect(Number(new URL(one.url).port)).toBeGreaterThan(4010);
    expect(one.stderr()).toMatch(new RegExp(`4010 .*${new URL(one.url).port}\n`));
  });

  it("delivers every event to --deliver-to, signed with COUNTERSIGN_SECRET, after a restart too", async () => {
    const { url, arrived } = await openReceiver(204);
    const args = argsOf(newDatabase(), "--deliver-to", url.replace("127.0.0.1", "localhost"));
    const env = { COUNTERSIGN_SECRET: SECRET, COUNTERSIGN_TOKEN: TOKEN };
    for (const count of [1, 2]) {
      const one = await serveHere(args, env);
      await call(one.url, TOKEN, "/sandbox/customers", {});
      await expect.poll(() => arrived.length).toBe(count);
      await expect
        .poll(one.stderr)
        .toMatch(
          /^\d\d:\d\d:\d\d {2}customer\.created {2}POST localhost:\d+\S* {2}204 {2}\d+ ms {2}delivered$/m,
        );
      expect(one.stderr()).not.toContain(SECRET);
      expect(await one.end()).toBe(0);
    }
    const verify = (one: (typeof arrived)[number]) =>
      standardWebhooks().verify(one, [SECRET], { now: Date.now() }).ok;
    expect(arrived.map(verify)).toEqual([true, true]);
    expect(arrived[0]?.headers["user-agent"]).toMatch(/^Countersign\/\d/);
  });

  it("prints why an attempt got no response, and when the next one follows", async () => {
    // Nothing listens on port 9.
    const args = argsOf(newDatabase(), "--deliver-to", "http://localhost:9/webhooks");
    const one = await serveHere(args, { COUNTERSIGN_TOKEN: TOKEN });
    await call(one.url, TOKEN, "/sandbox/customers", {});
    const words = / {2}connection failed {2}\d+ ms {2}retry 2 in \d+ s$/m;
    await expect.poll(one.stderr).toMatch(words);
    expect(await one.end()).toBe(0);
  });

  it("prints loopback addresses when it listens on every address", { tags: "ci" }, async () => {
    const every = ["--listen", "0.0.0.0", "--allow-host", "sandbox.test"];
    const { url, stderr } = await sandbox(newDatabase(), every, { COUNTERSIGN_TOKEN: TOKEN });
    expect(url).toEqual(READY);
    expect(stderr()).not.toContain("0.0.0.0");
    expect((await call(url, TOKEN, "/sandbox/customers")).status).toBe(200);
  });
});
