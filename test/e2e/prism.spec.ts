import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveHere } from "../../packages/cli/test/serve-here.ts";
import { type Api, createApi } from "../../packages/dev/src/api.ts";
import { payment } from "./payment.ts";

// Prism shares no code with this repository: it reads /openapi.json and, as a proxy in front of the service,
// reports each call and answer that violates it.

const TOKEN = "cst_prism-run-token-0123456789abcdef";

interface Violation {
  readonly location: readonly string[];
  readonly message: string;
}

interface Seen {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly ofCall: readonly Violation[];
  readonly ofAnswer: readonly Violation[];
}

const names = ["standard", "x-signature"] as const;
const folder = mkdtempSync(join(tmpdir(), "countersign-prism-"));
const agent = new Agent();
const ends: (() => Promise<void>)[] = [];
const prisms: ChildProcess[] = [];
const running = new Map<string, { readonly url: string; readonly api: Api }>();

// Both at once: Prism takes its time to start.
beforeAll(() => Promise.all(names.map((name) => start(name))), 120_000);
afterAll(async () => {
  await agent.close();
  for (const prism of prisms) prism.kill("SIGKILL");
  await Promise.all(ends.map((end) => end()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(profile: string): Promise<void> {
  const database = join(folder, `${profile}.db`);
  const sandbox = await serveHere(
    ["sandbox", "--port", "0", "--profile", profile, "--database", database],
    { COUNTERSIGN_TOKEN: TOKEN },
    (end) => ends.push(end),
  );
  const api = createApi(sandbox.url, TOKEN);
  const document = join(folder, `${profile}.json`);
  writeFileSync(document, JSON.stringify((await api("GET", "/openapi.json")).body));
  const prism = spawnPrism([document, sandbox.url, "--port", "0"]);
  prisms.push(prism);
  running.set(profile, { url: await listening(prism), api });
}

describe.each(names)("the service behind Prism, under the profile %s,", (profile) => {
  const api: Api = (...given) => part(profile).api(...given);

  const call = async (
    method: "GET" | "POST" | "PUT",
    path: string,
    json?: unknown,
    headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` },
  ): Promise<Seen> => {
    const answer = await request(part(profile).url + path, {
      method,
      dispatcher: agent,
      headers: {
        accept: "application/json, application/problem+json",
        ...(json !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(json !== undefined && { body: typeof json === "string" ? json : JSON.stringify(json) }),
    });
    const found = JSON.parse(String(answer.headers["sl-violations"] ?? "[]")) as Violation[];
    // Every answer of the interface is a JSON object.
    const body = (await answer.body.json()) as Seen["body"];
    const { answers = [], calls = [] } = Object.groupBy(found, ({ location: [where] }) =>
      where === "response" ? "answers" : "calls",
    );
    return { status: answer.statusCode, body, ofCall: calls, ofAnswer: answers };
  };

  /** A call as the document has it: neither it nor its answer may violate anything. */
  const genuine = async (...given: Parameters<typeof call>): Promise<Seen> => {
    const seen = await call(...given);
    expect([given, seen.ofCall, seen.ofAnswer]).toEqual([given, [], []]);
    return seen;
  };

  let keys = 0;
  const refund = (paymentId: string, more: object = {}): object => ({
    paymentId,
    amount: { currency: "USD", value: 1.13 },
    requestKey: `key-${(keys += 1)}`,
    ...more,
  });

  it("answers refunds in each state, and refusals, without a violation", async () => {
    const [processing, settled, failed] = [
      await payment(api),
      await payment(api, "settle"),
      await payment(api, "fail"),
    ];
    const more = { clientReferenceId: "order 7", softDescriptor: "Refund 7" };
    const pending = await genuine("POST", "/v1/refunds", refund(processing, more));
    expect(pending).toMatchObject({ status: 201, body: { paymentStatus: "PENDING" } });
    const ended = await genuine("POST", "/v1/refunds", refund(failed));
    expect(ended).toMatchObject({ status: 201, body: { paymentStatus: "TERMINAL_FAILED" } });
    await api("PUT", "/sandbox/clock", { advance: "P14D" });
    const authorized = refund(settled);
    const at = await genuine("POST", "/v1/refunds", authorized);
    expect(at).toMatchObject({ status: 201, body: { paymentStatus: "AUTHORIZED" } });

    const refused = [
      await genuine("POST", "/v1/refunds", authorized),
      await genuine("POST", "/v1/refunds", refund("pay_none")),
      await genuine(
        "POST",
        "/v1/refunds",
        refund(settled, { amount: { currency: "USD", value: 99 } }),
      ),
    ];
    const statuses = profile === "standard" ? [409, 404, 422] : [400, 404, 400];
    expect(refused.map(({ status }) => status)).toEqual(statuses);
  });

  it("answers customers, subscriptions and tokens without a violation", async () => {
    const { body } = await api("GET", "/sandbox/customers");
    const { customers } = body as { customers: { id: string }[] };
    for (const { id } of customers) {
      expect((await genuine("GET", `/v1/customers/${id}`)).status).toBe(200);
    }
    expect((await genuine("GET", "/v1/customers/cus_none")).status).toBe(404);

    const { body: made } = await genuine("POST", "/v1/webhook/subscribe", {
      url: "https://merchant.example/webhooks",
      secretKey: "a-secret-of-24-characters-or-more",
      subscriptionDetails: { type: "CATEGORY", details: ["PAYMENT", "CUSTOMER"] },
    });
    const subscriptionId = made["subscriptionKey"];
    for (const details of [["PAYMENT"], ["CUSTOMER"]]) {
      const subscriptionDetails = { type: "CATEGORY", details };
      const json = { subscriptionId, subscriptionDetails };
      expect((await genuine("PUT", "/v1/webhook/unsubscribe", json)).status).toBe(200);
    }

    const wrong = { client_id: "cli_none", client_secret: "x".repeat(30) };
    const json = { grant_type: "client_credentials", ...wrong };
    expect(await genuine("POST", "/v1/tokens", json, {})).toMatchObject({
      status: 401,
      body: { error: "invalid_client" },
    });
    const merchant = (await api("POST", "/sandbox/merchants", {})).body as Record<string, string>;
    const credentials = `${merchant["clientId"]}:${merchant["clientSecret"]}`;
    const token = await genuine("POST", "/v1/tokens", "grant_type=client_credentials", {
      "content-type": "application/x-www-form-urlencoded",
      authorization: `Basic ${Buffer.from(credentials).toString("base64")}`,
    });
    expect(token).toMatchObject({ status: 200, body: { token_type: "Bearer" } });
  });

  it("refuses calls that violate the document, without a violation", async () => {
    const calls: [method: "POST" | "PUT", path: string, json: object][] = [
      ["POST", "/v1/refunds", {}],
      ["POST", "/v1/refunds", refund("pay_1", { memo: "x" })],
      ["POST", "/v1/refunds", refund("pay_1", { amount: { currency: "EUR", value: 1 } })],
      ["POST", "/v1/refunds", refund("pay 1")],
      ["POST", "/v1/webhook/subscribe", { url: "ftp://a", secretKey: "short" }],
      ["POST", "/v1/webhook/subscribe", { subscriptionDetails: { type: "EVENT" } }],
      ["PUT", "/v1/webhook/unsubscribe", { subscriptionDetails: { type: "NONE" } }],
      ["POST", "/v1/tokens", { grant_type: "password" }],
    ];
    for (const [method, path, json] of calls) {
      const { status, ofCall, ofAnswer } = await call(method, path, json);
      expect([path, json, status, ofAnswer]).toEqual([path, json, 400, []]);
      expect([path, json, ofCall.length]).not.toEqual([path, json, 0]);
    }
    const stranger = await call("GET", "/v1/customers/c", undefined, { authorization: "Basic x" });
    expect([stranger.status, stranger.ofAnswer]).toEqual([401, []]);
  });

  it("violates the document by a faulty answer, which Prism reports", async () => {
    const fault = { route: "GET /v1/customers", kind: "status", status: 418 };
    await api("PUT", "/sandbox/faults", { faults: [fault] });
    const { ofAnswer } = await call("GET", "/v1/customers/cus_none");
    expect(ofAnswer).not.toEqual([]);
  });
});

function part(profile: string): { readonly url: string; readonly api: Api } {
  const one = running.get(profile);
  if (one === undefined) throw new Error(`nothing runs under ${profile}`);
  return one;
}

function spawnPrism(args: readonly string[]): ChildProcess {
  const require = createRequire(new URL("../../packages/service/package.json", import.meta.url));
  const bin = join(dirname(require.resolve("@stoplight/prism-cli/package.json")), "dist/index.js");
  return spawn(process.execPath, [bin, "proxy", ...args], { stdio: ["ignore", "pipe", "pipe"] });
}

/** Until Prism says where it listens. */
function listening(prism: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (chunk: Buffer): void => {
      said += chunk.toString();
      const [, url] = /Prism is listening on (http:\/\/[\w.]+:[1-9]\d*)\b/.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    };
    prism.stdout?.on("data", hear);
    prism.stderr?.on("data", hear);
    prism.once("exit", () => reject(new Error(`Prism ended: ${said}`)));
  });
}
