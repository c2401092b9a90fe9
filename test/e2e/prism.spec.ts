import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { profiles } from "@countersign/schemas/profiles";
import { openSandbox, TOKEN } from "../../packages/sandbox/test/open-sandbox.ts";
import { drawn } from "../seed.ts";
import { temporaryFolder } from "../temporary-folder.ts";

// Prism shares no code with this repository: it reads /openapi.json and, as a proxy in front of the service,
// reports each call and answer that violates it.

const bearer = { authorization: `Bearer ${TOKEN}` };
const require = createRequire(new URL("../../packages/service/package.json", import.meta.url));
const bin = join(dirname(require.resolve("@stoplight/prism-cli/package.json")), "dist/index.js");

/** Starts Prism in front of a service until the test ends. @returns Prism's URL. */
function startPrism(document: string, service: string): Promise<string> {
  const prism = spawn(process.execPath, [bin, "proxy", document, service, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void prism.kill("SIGKILL"));
  return new Promise((resolve, reject) => {
    let said = "";
    prism.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const found = /Prism is listening on (http:\/\/[\w.]+:[1-9]\d*)\b/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    prism.once("exit", () => reject(new Error(`Prism ended: ${said}`)));
  });
}

/** Makes a call. @returns Its answer, and the violations that Prism reports of the call and of the answer. */
async function call(
  url: string,
  method: "GET" | "POST" | "PUT",
  json?: unknown,
  headers: Record<string, string> = bearer,
) {
  const body = typeof json === "string" ? json : JSON.stringify(json);
  const answer = await fetch(url, {
    method,
    headers: {
      accept: "application/json, application/problem+json",
      ...(json !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(json !== undefined && { body }),
  });
  // Prism's own header; every answer of the interface is a JSON object.
  const found = JSON.parse(answer.headers.get("sl-violations") ?? "[]") as {
    readonly location: readonly string[];
  }[];
  const members = (await answer.json()) as Readonly<Record<string, unknown>>;
  const ofAnswer = found.filter(({ location: [where] }) => where === "response");
  return { status: answer.status, body: members, found, ofAnswer };
}

/** Profiles with the statuses of a repeated key, an unknown payment and a refund that is too large. */
const drawable = [
  ["standard", [409, 404, 422]],
  ["x-signature", [400, 404, 400]],
] as const;

// Prism takes long to start: the run's seed draws one profile.
it.each(drawn(drawable, 1))(
  "the service of profile %s answers calls and refuses wrong ones as its OpenAPI document says, by Prism",
  async (name, refusals) => {
    const {
      sandbox,
      seeded,
      call: own,
      list,
      post,
    } = await openSandbox({ profile: profiles[name] });
    const document = join(temporaryFolder(), "openapi.json");
    writeFileSync(document, (await own("GET", "/openapi.json")).text);
    const url = await startPrism(document, sandbox.url);

    /** A call as the document has it: neither it nor its answer may violate anything. */
    const genuine = async (
      method: "GET" | "POST" | "PUT",
      path: string,
      ...sent: [json?: unknown, headers?: Record<string, string>]
    ) => {
      const seen = await call(url + path, method, ...sent);
      expect([method, path, seen.found]).toEqual([method, path, []]);
      return seen;
    };
    let keys = 0;
    const order = (paymentId: string, more: object = {}): object => ({
      paymentId,
      amount: { currency: "USD", value: 1.13 },
      requestKey: `key-${(keys += 1)}`,
      ...more,
    });
    const refund = (body: object) => genuine("POST", "/v1/refunds", body);

    // Refunds in each state, and refusals.
    const { settled, processing, failed } = seeded.payments;
    const more = { clientReferenceId: "order 7", softDescriptor: "Refund 7" };
    const again = order(settled);
    const made = [
      await refund(order(processing, more)),
      await refund(order(failed)),
      await refund(again),
    ];
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
    const statuses = made.map(({ body }) => body["paymentStatus"]);
    expect(statuses).toEqual(["PENDING", "TERMINAL_FAILED", "AUTHORIZED"]);
    const tooMuch = order(settled, { amount: { currency: "USD", value: 99.5 } });
    const refused = [await refund(again), await refund(order("pay_none")), await refund(tooMuch)];
    expect(refused.map(({ status }) => status)).toEqual(refusals);

    // Customers, subscriptions and tokens.
    for (const { id } of await list("/sandbox/customers"))
      expect((await genuine("GET", `/v1/customers/${String(id)}`)).status).toBe(200);
    expect((await genuine("GET", "/v1/customers/cus_none")).status).toBe(404);
    const { body: subscription } = await genuine("POST", "/v1/webhook/subscribe", {
      url: "https://merchant.example/webhooks",
      secretKey: "a-secret-of-24-characters-or-more",
      subscriptionDetails: { type: "CATEGORY", details: ["PAYMENT", "CUSTOMER"] },
    });
    const subscriptionId = subscription["subscriptionKey"];
    for (const details of [["PAYMENT"], ["CUSTOMER"]]) {
      const json = { subscriptionId, subscriptionDetails: { type: "CATEGORY", details } };
      expect((await genuine("PUT", "/v1/webhook/unsubscribe", json)).status).toBe(200);
    }
    const wrong = { client_id: "cli_none", client_secret: "x".repeat(30) };
    const json = { grant_type: "client_credentials", ...wrong };
    const unknown = await genuine("POST", "/v1/tokens", json, {});
    expect(unknown).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    const { clientId, clientSecret } = (await post("/sandbox/merchants", {})).body;
    const credentials = `${String(clientId)}:${String(clientSecret)}`;
    const token = await genuine("POST", "/v1/tokens", "grant_type=client_credentials", {
      "content-type": "application/x-www-form-urlencoded",
      authorization: `Basic ${Buffer.from(credentials).toString("base64")}`,
    });
    expect(token).toMatchObject({ status: 200, body: { token_type: "Bearer" } });

    // Calls that violate the document, which are refused by answers that do not.
    for (const [method, path, sent] of [
      ["POST", "/v1/refunds", order("pay_1", { memo: "x" })],
      ["POST", "/v1/refunds", order("pay 1")],
      ["POST", "/v1/webhook/subscribe", { url: "ftp://a", secretKey: "short" }],
      ["PUT", "/v1/webhook/unsubscribe", { subscriptionDetails: { type: "NONE" } }],
      ["POST", "/v1/tokens", { grant_type: "password" }],
    ] as const) {
      const { status, found, ofAnswer } = await call(url + path, method, sent);
      expect([path, status, found.length > 0, ofAnswer]).toEqual([path, 400, true, []]);
    }
    const basic = { authorization: "Basic x" };
    const stranger = await call(`${url}/v1/customers/c`, "GET", undefined, basic);
    expect([stranger.status, stranger.ofAnswer]).toEqual([401, []]);

    // Prism reports an answer that does.
    const fault = { route: "GET /v1/customers", kind: "status", status: 418 };
    await own("PUT", "/sandbox/faults", { json: { faults: [fault] } });
    expect((await call(`${url}/v1/customers/cus_none`, "GET")).ofAnswer).not.toEqual([]);
  },
);
