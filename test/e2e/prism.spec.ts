import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveHere } from "../../packages/cli/test/ran.ts";
import { type Api, createApi } from "../../packages/dev/src/api.ts";
import { drawn } from "../seed.ts";
import { payment } from "./payment.ts";
import { temporaryFolder } from "../temporary-folder.ts";

// Prism shares no code with this repository: it reads /openapi.json and, as a proxy in front of the service,
// reports each call and answer that violates it.

const TOKEN = "cst_prism-run-token-0123456789abcdef";
const bearer = { authorization: `Bearer ${TOKEN}` };
const require = createRequire(new URL("../../packages/service/package.json", import.meta.url));
const bin = join(dirname(require.resolve("@stoplight/prism-cli/package.json")), "dist/index.js");

/** Profiles with the statuses of a repeated key, an unknown payment and a refund that is too large. */
const profiles = [
  ["standard", [409, 404, 422]],
  ["x-signature", [400, 404, 400]],
] as const;

// Prism takes long to start: the run's seed draws one profile.
describe.each(drawn(profiles, 1))(
  "the service behind Prism, under the profile %s,",
  (profile, refusals) => {
    const folder = temporaryFolder(afterAll);
    const ends: (() => unknown)[] = [];
    let url = "";
    let api: Api;

    beforeAll(async () => {
      const database = join(folder, "sandbox.db");
      const sandbox = await serveHere(
        ["sandbox", "--port", "0", "--profile", profile, "--database", database],
        { COUNTERSIGN_TOKEN: TOKEN },
        (end) => ends.unshift(end),
      );
      api = createApi(sandbox.url, TOKEN);
      const document = join(folder, "openapi.json");
      writeFileSync(document, JSON.stringify((await api("GET", "/openapi.json")).body));
      const prism = spawn(process.execPath, [bin, "proxy", document, sandbox.url, "--port", "0"], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      ends.unshift(async () => {
        if (prism.kill("SIGKILL")) await once(prism, "exit");
      });
      url = await new Promise((resolve, reject) => {
        let said = "";
        prism.stdout.on("data", (chunk: Buffer) => {
          said += chunk.toString();
          const found = /Prism is listening on (http:\/\/[\w.]+:[1-9]\d*)\b/.exec(said)?.[1];
          if (found !== undefined) resolve(found);
        });
        prism.once("exit", () => reject(new Error(`Prism ended: ${said}`)));
      });
    }, 120_000);
    afterAll(async () => {
      // oxlint-disable-next-line no-await-in-loop -- Prism ends before the service
      for (const end of ends) await end();
    });

    const call = async (
      method: "GET" | "POST" | "PUT",
      path: string,
      json?: unknown,
      headers: Record<string, string> = bearer,
    ) => {
      const answer = await request(url + path, {
        method,
        headers: {
          accept: "application/json, application/problem+json",
          ...(json !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(json !== undefined && { body: typeof json === "string" ? json : JSON.stringify(json) }),
      });
      // Prism's own header; every answer of the interface is a JSON object.
      const found = JSON.parse(String(answer.headers["sl-violations"] ?? "[]")) as {
        readonly location: readonly string[];
      }[];
      const body = (await answer.body.json()) as Readonly<Record<string, unknown>>;
      const ofAnswer = found.filter(({ location: [where] }) => where === "response");
      return { status: answer.statusCode, body, found, ofAnswer };
    };
    /** A call as the document has it: neither it nor its answer may violate anything. */
    const genuine = async (...given: Parameters<typeof call>) => {
      const seen = await call(...given);
      expect([given, seen.found]).toEqual([given, []]);
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

    it("answers refunds in each state, and refusals, without a violation", async () => {
      const settled = await payment(api, "settle");
      const more = { clientReferenceId: "order 7", softDescriptor: "Refund 7" };
      const pending = await refund(order(await payment(api), more));
      const failed = await refund(order(await payment(api, "fail")));
      await api("PUT", "/sandbox/clock", { advance: "P14D" });
      const again = order(settled);
      const authorized = await refund(again);
      const made = [pending, failed, authorized];
      expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
      const statuses = made.map(({ body }) => body["paymentStatus"]);
      expect(statuses).toEqual(["PENDING", "TERMINAL_FAILED", "AUTHORIZED"]);

      const tooMuch = order(settled, { amount: { currency: "USD", value: 99 } });
      const refused = [await refund(again), await refund(order("pay_none")), await refund(tooMuch)];
      expect(refused.map(({ status }) => status)).toEqual(refusals);
    });

    it("answers customers, subscriptions and tokens without a violation", async () => {
      const { body } = await api("GET", "/sandbox/customers");
      const { customers } = body as { customers: { id: string }[] };
      for (const { id } of customers)
        expect((await genuine("GET", `/v1/customers/${id}`)).status).toBe(200);
      expect((await genuine("GET", "/v1/customers/cus_none")).status).toBe(404);

      const { body: made } = await genuine("POST", "/v1/webhook/subscribe", {
        url: "https://merchant.example/webhooks",
        secretKey: "a-secret-of-24-characters-or-more",
        subscriptionDetails: { type: "CATEGORY", details: ["PAYMENT", "CUSTOMER"] },
      });
      const subscriptionId = made["subscriptionKey"];
      for (const details of [["PAYMENT"], ["CUSTOMER"]]) {
        const json = { subscriptionId, subscriptionDetails: { type: "CATEGORY", details } };
        expect((await genuine("PUT", "/v1/webhook/unsubscribe", json)).status).toBe(200);
      }

      const wrong = { client_id: "cli_none", client_secret: "x".repeat(30) };
      const json = { grant_type: "client_credentials", ...wrong };
      const unknown = await genuine("POST", "/v1/tokens", json, {});
      expect(unknown).toMatchObject({ status: 401, body: { error: "invalid_client" } });
      const merchant = (await api("POST", "/sandbox/merchants", {})).body as Record<string, string>;
      const credentials = `${merchant["clientId"]}:${merchant["clientSecret"]}`;
      const token = await genuine("POST", "/v1/tokens", "grant_type=client_credentials", {
        "content-type": "application/x-www-form-urlencoded",
        authorization: `Basic ${Buffer.from(credentials).toString("base64")}`,
      });
      expect(token).toMatchObject({ status: 200, body: { token_type: "Bearer" } });
    });

    it("refuses calls that violate the document by answers that do not", async () => {
      for (const [method, path, json] of [
        ["POST", "/v1/refunds", order("pay_1", { memo: "x" })],
        ["POST", "/v1/refunds", order("pay 1")],
        ["POST", "/v1/webhook/subscribe", { url: "ftp://a", secretKey: "short" }],
        ["PUT", "/v1/webhook/unsubscribe", { subscriptionDetails: { type: "NONE" } }],
        ["POST", "/v1/tokens", { grant_type: "password" }],
      ] as const) {
        const { status, found, ofAnswer } = await call(method, path, json);
        expect([path, status, found.length > 0, ofAnswer]).toEqual([path, 400, true, []]);
      }
      const stranger = await call("GET", "/v1/customers/c", undefined, {
        authorization: "Basic x",
      });
      expect([stranger.status, stranger.ofAnswer]).toEqual([401, []]);

      // Prism reports an answer that does.
      const fault = { route: "GET /v1/customers", kind: "status", status: 418 };
      await api("PUT", "/sandbox/faults", { faults: [fault] });
      expect((await call("GET", "/v1/customers/cus_none")).ofAnswer).not.toEqual([]);
    });
  },
);
