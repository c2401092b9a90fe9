import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { httpSend } from "@countersign/contract-kit";
import { openNamespace, startSandbox, type RunningSandbox } from "@countersign/sandbox";
import { profiles } from "@countersign/schemas/profiles";
import { sqliteDriver } from "@countersign/service";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ran } from "./ran.ts";
import { temporaryFolder } from "./start-command.ts";

const TOKEN = "token-of-the-first-namespace";
const profile = profiles.standard;
const folder = mkdtempSync(join(tmpdir(), "countersign-cli-"));
let sandbox: RunningSandbox;
beforeAll(async () => {
  const driver = sqliteDriver(join(folder, "sandbox.db"));
  sandbox = await startSandbox({ driver, profile, port: 0 });
  await openNamespace({ driver, profile, seed: 1, token: TOKEN });
});
afterAll(async () => {
  await sandbox.close({ graceMs: 0 });
  rmSync(folder, { recursive: true, force: true });
});

const verify = (url: string, more: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  ran(["verify", "provider", "--url", url, ...more], { COUNTERSIGN_TOKEN: TOKEN, ...env });

/** The sandbox's own controls, as hooks of another service would be mapped. */
const hooks = {
  headers: { authorization: "Bearer {{token}}", "x-hook": "{{env.COUNTERSIGN_CONTROL_KEY}}" },
  controls: {
    createPayment: [
      { method: "POST", path: "/sandbox/customers", body: {}, take: { customerId: "/id" } },
      { method: "POST", path: "/sandbox/customers/{{customerId}}/link", body: {} },
      {
        method: "POST",
        path: "/sandbox/payments",
        body: {
          customerId: "{{customerId}}",
          amount: { currency: "USD", value: "{{number amount}}" },
        },
        take: { paymentId: "/paymentId" },
      },
      { method: "POST", path: "/sandbox/payments/{{paymentId}}/authorize", body: {} },
    ],
    readClock: [{ method: "GET", path: "/sandbox/clock", take: { now: "/now" } }],
    advanceClock: [{ method: "PUT", path: "/sandbox/clock", body: { advance: "{{duration}}" } }],
    emitEvent: [
      {
        method: "POST",
        path: "/sandbox/events",
        body: { type: "{{type}}" },
        take: { eventId: "/id" },
      },
    ],
  },
};

function fileOf(json: unknown): string {
  const file = join(temporaryFolder(), "hooks.json");
  writeFileSync(file, JSON.stringify(json));
  return file;
}

/** The sandbox, whose 401 are 403. */
async function forbidding(): Promise<string> {
  const { send, close } = httpSend(sandbox.url);
  const server = createServer((request, response) => {
    request.resume();
    const { authorization = "" } = request.headers;
    const call = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: { authorization },
    };
    void send(call).then(({ status, headers, body }) => {
      const text = Buffer.from(body).toString().replaceAll("401", "403");
      const { "content-type": type = "", "www-authenticate": challenge = "" } = headers;
      const named = { "content-type": type, "www-authenticate": challenge };
      response.writeHead(status === 401 ? 403 : status, named).end(text);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    close();
    server.closeAllConnections();
    server.close();
  });
  // A listening TCP server has an address with a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("countersign verify provider", () => {
  it("verifies a sandbox by its controls, with deliveries to itself, and writes reports", async () => {
    const file = join(temporaryFolder(), "report.json");
    const only = ["--only", "provider/tokens", "provider/selection", "provider/customers"];
    const more = ["--sandbox-url", sandbox.url, ...only, "--report", `json=${file}`];
    const { status, out } = await verify(sandbox.url, more);
    expect(out).toMatch(/^pass {3}P-SUBSCRIBE-SELECT/m);
    expect(out).toMatch(/^pass {3}P-AUTH-TOKEN /m);
    expect(status).toBe(0);
    expect(readFileSync(file, "utf8")).toContain('"exitCode": 0');
  });

  it("moves a service by a file of its hooks, and tells what the file does not map", async () => {
    const only = ["provider/over-refund", "provider/deliveries", "provider/refund-states"];
    const more = ["--control", fileOf(hooks), "--runs", "2", "--only", ...only];
    const env = { COUNTERSIGN_CONTROL_KEY: "a-key-of-the-hooks" };
    const { status, out } = await verify(sandbox.url, more, env);
    expect(out).toMatch(/^pass {3}P-REFUND-SUM/m);
    expect(out).toMatch(/^pass {3}P-EVENT-SIGNED/m);
    expect(out).toMatch(/^n\/a {4}P-REFUND-PENDING.*\n.*no control that settles a payment/m);
    expect(out).not.toContain("a-key-of-the-hooks");
    expect(status).toBe(0);
  });

  it("checks what it can with a URL and a client's credentials alone", async () => {
    const made = await fetch(`${sandbox.url}/sandbox/merchants`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      body: "{}",
    });
    // The sandbox answers with the client.
    const { clientId, clientSecret } = (await made.json()) as Record<string, string>;
    const env = {
      COUNTERSIGN_CLIENT_ID: clientId ?? "",
      COUNTERSIGN_CLIENT_SECRET: clientSecret ?? "",
      COUNTERSIGN_TOKEN_2: TOKEN,
    };
    const { status, out } = await ran(["verify", "provider", "--url", sandbox.url], env);
    expect(out).toMatch(/^pass {3}P-AUTH-TOKEN /m);
    expect(out).toMatch(/^pass {3}P-UNSUBSCRIBE-NOT-FOUND/m);
    expect(out).toMatch(/^n\/a {4}P-REFUND-SUM.*\n.*no control that makes payments/m);
    expect(out).toContain("neither --sandbox-url nor --control is there");
    expect(out).not.toContain(clientSecret);
    expect(status).toBe(0);
  });

  it("prints the command that meets a failure again", async () => {
    const url = await forbidding();
    const first = await verify(url, ["--only", "provider/common-headers"]);
    expect(first.status).toBe(1);
    const again = /countersign (verify provider .* --path \S+)$/m.exec(first.out)?.[1] ?? "";
    expect(again).toMatch(/--only provider\/common-headers --seed 1 --path 0$/);
    const second = await ran(again.split(" "), { COUNTERSIGN_TOKEN: TOKEN });
    expect(second.status).toBe(1);
    expect(second.out).toContain("401 with WWW-Authenticate expected, 403");
  });

  it("lists its checks and sends nothing", async () => {
    const { status, out } = await ran(
      ["verify", "provider", "--url", "http://127.0.0.1:1", "--list"],
      {},
    );
    expect(status).toBe(0);
    expect(out).toContain("provider/pacts");
  });

  it.each([
    ["nobody is there", "CS_CLI_UNVERIFIED", ["--only", "provider/bodies"], {}],
    [
      "a client comes without its secret",
      "CS_CLI_ENVIRONMENT_UNUSABLE",
      [],
      { COUNTERSIGN_CLIENT_ID: "1" },
    ],
    [
      "there are two sources of controls",
      "CS_CLI_ARGUMENT_UNUSABLE",
      ["--sandbox-url", "http://a", "--control", "b"],
      {},
    ],
    ["a path is of no check", "CS_CLI_ARGUMENT_UNUSABLE", ["--path", "0"], {}],
    [
      "a path is none",
      "CS_CLI_ARGUMENT_UNUSABLE",
      ["--only", "provider/amounts", "--path", "a"],
      {},
    ],
    ["the hooks are not there", "CS_CLI_CONTROL_UNUSABLE", ["--control", "/nowhere"], {}],
    [
      "nobody says by which address it is reached",
      "CS_CLI_ARGUMENT_UNUSABLE",
      ["--listen", "0.0.0.0"],
      {},
    ],
    ["the address cannot be listened on", "CS_CLI_PORT_UNUSABLE", ["--listen", "192.0.2.1"], {}],
  ] as const)("ends with 2 where %s", async (_what, code, more, env) => {
    const { status, err } = await verify("http://127.0.0.1:1", more, env);
    expect(err).toContain(code);
    expect(status).toBe(2);
  });

  it("names each fault of a file of hooks with its place, and the variable that is missing", async () => {
    const wrong = { controls: { failPayment: [{ method: "POST", path: "/{{payment}}" }] } };
    const faulty = await verify(sandbox.url, ["--control", fileOf(wrong)]);
    expect(faulty.err).toContain("CS_CLI_CONTROL_UNUSABLE");
    expect(faulty.err).toContain(
      "/controls/failPayment/0/path has {{payment}}, which nothing gives",
    );
    const unset = await verify(sandbox.url, ["--control", fileOf(hooks)]);
    expect(unset.err).toContain("COUNTERSIGN_CONTROL_KEY, which is not set");
  });

  it("sends nothing to another machine that nobody says is theirs", async () => {
    const { status, err } = await verify("http://8.8.8.8", []);
    expect(err).toContain("CS_CLI_TARGET_NOT_OWNED");
    expect(status).toBe(2);
  });
});
