import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import { standardWebhooks } from "@countersign/signatures";
import { describe, expect, it, onTestFinished } from "vitest";
import { ran } from "./ran.ts";
import { serveHere, told } from "./serve-here.ts";
import { SOON } from "./soon.ts";
import { start, temporaryFolder } from "./start-command.ts";

const TOKEN = "a-token-of-sixteen-characters-or-more";

async function call(url: string, path: string, token: string, json?: object): Promise<Response> {
  return fetch(new URL(path, url), {
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(json && { method: "POST", body: JSON.stringify(json) }),
  });
}

/** A free port, or the wanted one, that is taken as long as the test. */
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
  it("prints one line on stdout, ends with 0 at SIGINT, and keeps its token for its owner alone", async () => {
    const folder = temporaryFolder();
    const first = start(["sandbox", "--port", "0"], { folder });
    const url = await first.ready();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const database = join(folder, ".countersign/sandbox.db");
    const token = readFileSync(`${database}.token`, "utf8").trim();
    const made = await call(url, "/sandbox/customers", token, { firstName: "Zoë" });
    expect(made.status).toBe(201);
    expect(await first.end("SIGINT")).toBe(0);
    expect(first.stdout()).toBe(`ready ${url}\n`);
    expect(told(first, "token")).toBe(token);
    expect(statSync(`${database}.token`).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, ".countersign")).mode & 0o777).toBe(0o700);

    // The next one goes on with what the first was told.
    const second = await serveHere(["sandbox", "--port", "0", "--database", database]);
    expect(told(second, "token")).toBe(token);
    expect(await (await call(second.url, "/sandbox/customers", token)).text()).toContain("Zoë");
  });

  it("takes its token from the environment or a file, and does not print it", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "token");
    writeFileSync(file, `${TOKEN}\n`);
    for (const env of [{ COUNTERSIGN_TOKEN: TOKEN }, { COUNTERSIGN_TOKEN_FILE: file }]) {
      const args = ["sandbox", "--port", "0", "--database", join(folder, "own.db")];
      const one = await serveHere(args, env);
      expect((await call(one.url, "/sandbox/clock", TOKEN)).status).toBe(200);
      expect(await one.end()).toBe(0);
      expect(one.stderr()).not.toContain(TOKEN);
    }
  });

  it("makes the same ids for the same seed", async () => {
    const tell = async (seed: string): Promise<string> => {
      const database = join(temporaryFolder(), "sandbox.db");
      const args = ["sandbox", "--port", "0", "--seed", seed, "--database", database];
      return told(await serveHere(args), "payment");
    };
    const [one, same, other] = await Promise.all([tell("7"), tell("7"), tell("8")]);
    expect(one).toMatch(/^pay_/);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  it("refuses a port that was asked for and is taken, with status 2 and a code", async () => {
    const port = await takePort();
    const database = join(temporaryFolder(), "sandbox.db");
    const args = ["sandbox", "--port", String(port), "--database", database];
    const { status, out, err } = await ran(args);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain(`countersign: CS_CLI_PORT_TAKEN: port ${port} is taken`);
  });

  it("moves from the default port to the next free one, and says so", async () => {
    await takePort(4010);
    const one = await serveHere(["sandbox", "--database", join(temporaryFolder(), "sandbox.db")]);
    const { port } = new URL(one.url);
    expect(Number(port)).toBeGreaterThan(4010);
    expect(one.stderr()).toContain(`port 4010 is taken, listening on ${port}`);
  });

  it("delivers every event to an address, signed with the environment's secret, also after a restart", async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    const arrived: { headers: Record<string, string>; body: Buffer }[] = [];
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        );
        arrived.push({ headers, body: Buffer.concat(chunks) });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => {
      receiver.listen(0, "127.0.0.1", resolve);
    });
    onTestFinished(() => {
      receiver.closeAllConnections();
      receiver.close();
    });
    const { port } = receiver.address() as AddressInfo;
    const database = join(temporaryFolder(), "sandbox.db");
    const to = `http://localhost:${port}/webhooks`;
    const args = ["sandbox", "--port", "0", "--database", database, "--deliver-to", to];
    const env = { COUNTERSIGN_SECRET: secret, COUNTERSIGN_TOKEN: TOKEN };
    for (const count of [1, 2]) {
      const one = await serveHere(args, env);
      await call(one.url, "/sandbox/customers", TOKEN, {});
      await expect.poll(() => arrived.length, SOON).toBe(count);
      expect(one.stderr()).not.toContain(secret);
      expect(await one.end()).toBe(0);
    }
    const verify = (one: (typeof arrived)[number]) =>
      standardWebhooks().verify(one, [secret], { now: Date.now() }).ok;
    expect(arrived.map(verify)).toEqual([true, true]);
    expect(arrived[0]?.headers["user-agent"]).toMatch(/^Countersign\/\d/);
  });

  it.each([
    [["--listen", "0.0.0.0"], {}, "CS_CLI_ALLOW_HOST_MISSING"],
    [["--profile", "unheard"], {}, "CS_CLI_PROFILE_UNUSABLE"],
    [["--deliver-to", "http://merchant.example/"], {}, "CS_CLI_DELIVER_TO_REFUSED"],
    [
      ["--deliver-to", "http://localhost:1/"],
      { COUNTERSIGN_SECRET: "short" },
      "CS_CLI_DELIVER_TO_REFUSED",
    ],
    [[], { COUNTERSIGN_TOKEN: "short" }, "CS_CLI_TOKEN_UNUSABLE"],
    [[], { COUNTERSIGN_TOKEN: "" }, "CS_CLI_ENVIRONMENT_UNUSABLE"],
    [[], { COUNTERSIGN_TOKEN_FILE: "/nowhere/token" }, "CS_CLI_ENVIRONMENT_UNUSABLE"],
  ])("cannot run with %j and %j", async (args, env, code) => {
    const database = join(temporaryFolder(), "sandbox.db");
    const all = ["sandbox", "--port", "0", "--database", database, ...args];
    const { status, out, err } = await ran(all, { ...env });
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain(`countersign: ${code}: `);
  });

  it("cannot run on a file that is no database", async () => {
    const folder = temporaryFolder();
    writeFileSync(
      join(folder, "text.db"),
      "this is a text and no database, and long enough to tell\n".repeat(40),
    );
    for (const name of ["text.db", "text.db/below.db"]) {
      const args = ["sandbox", "--port", "0", "--database", join(folder, name)];
      const { status, err } = await ran(args);
      expect(status).toBe(2);
      expect(err).toContain("countersign: CS_CLI_DATABASE_UNUSABLE: ");
    }
  });
});
