import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { serveHere, type Served } from "../../packages/cli/test/ran.ts";
import { type Api, createApi } from "../../packages/dev/src/api.ts";
import { type Child, startChild } from "../../packages/dev/src/child.ts";
import { openReceiver } from "../../packages/sandbox/test/open-sandbox.ts";
import { payment } from "./payment.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const TOKEN = "cst_end-to-end-token-0123456789abcdef";

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

const startSandbox = (): Promise<Served> => {
  const args = ["sandbox", "--port", "0", "--database", join(folder, "sandbox.db")];
  return serveHere(args, { COUNTERSIGN_TOKEN: TOKEN });
};
/** Starts the example as a merchant runs it, in its own process. */
async function startMerchant(port = 0): Promise<Child> {
  const child = await startChild({
    name: "merchant",
    script: "examples/merchant/src/main.ts",
    args: [],
    env: { WEBHOOK_SECRET: SECRET, PORT: String(port) },
  });
  onTestFinished(() => child.stop().then(() => undefined));
  return child;
}

/** Retries an assertion: processes on a busy machine take their time. */
const eventually = (holds: () => unknown): Promise<unknown> =>
  vi.waitFor(holds, { timeout: 30_000 });

const subscribe = (api: Api, url: string) =>
  api("POST", "/v1/webhook/subscribe", {
    url,
    secretKey: SECRET,
    subscriptionDetails: { type: "CATEGORY", details: ["PAYMENT"] },
  });

const refundOf = (api: Api, paymentId: string) =>
  api("POST", "/v1/refunds", {
    paymentId,
    amount: { currency: "USD", value: 10.5 },
    clientReferenceId: "order-7",
    requestKey: "order-7-refund-1",
  });

const effectsOf = async (merchant: Child) =>
  (await createApi(merchant.url, "")("GET", "/effects")).body as { readonly type: string }[];
/** Waits until a handler has run once for a type. */
const handled = (merchant: Child, type: string, handler: string): Promise<unknown> =>
  eventually(async () =>
    expect(await effectsOf(merchant)).toContainEqual(
      expect.objectContaining({ type, handler, count: 1 }),
    ),
  );

const rows = (sql: string): unknown[] => {
  const database = new DatabaseSync(join(folder, "sandbox.db"), { readOnly: true });
  const found = database.prepare(sql).all();
  database.close();
  return found.map((row) => ({ ...row }));
};

describe("a refund", () => {
  it("[P-EVENT-SIGNED] is stored, delivered, verified and handled, before and after its threshold", async () => {
    const [sandbox, merchant, sink] = await Promise.all([
      startSandbox(),
      startMerchant(),
      openReceiver(204),
    ]);
    const api = createApi(sandbox.url, TOKEN);
    expect((await subscribe(api, `${merchant.url}/webhooks`)).status).toBe(200);
    expect((await subscribe(api, sink.url)).status).toBe(200);
    const paymentId = await payment(api, "settle");

    const answer = await refundOf(api, paymentId);
    expect(answer).toMatchObject({
      status: 201,
      body: { paymentStatus: "PENDING", clientReferenceId: "order-7" },
    });
    const refundId = (answer.body as { paymentId: string }).paymentId;
    expect(
      rows("SELECT id, status, amount_cents, original_id FROM payments WHERE direction = 'CREDIT'"),
    ).toEqual([{ id: refundId, status: "PENDING", amount_cents: 1050, original_id: paymentId }]);
    await handled(merchant, "refund.pending", "PAYMENT");

    // Over any weekend and holiday: three business days are at most six calendar days here.
    expect((await api("PUT", "/sandbox/clock", { advance: "P7D" })).status).toBe(200);

    await handled(merchant, "refund.authorized", "refund.authorized");
    expect(rows("SELECT status FROM payments WHERE direction = 'CREDIT'")).toEqual([
      { status: "AUTHORIZED" },
    ]);
    await eventually(() =>
      expect(rows("SELECT state, count(*) AS n FROM deliveries GROUP BY state")).toEqual([
        { state: "delivered", n: rows("SELECT id FROM deliveries").length },
      ]),
    );

    // The same attempts, on the wire and judged by other people's libraries.
    const wire = sink.arrived.find(({ body }) => body.includes('"refund.authorized"'));
    expect(wire?.body.toString()).toContain(`"paymentId":"${refundId}"`);
    for (const { headers, body } of sink.arrived) {
      expect(new StandardWebhook(SECRET).verify(body.toString(), headers)).toMatchObject({
        id: headers["webhook-id"],
      });
      expect(() => new SvixWebhook(SECRET).verify(body.toString(), headers)).not.toThrow();
      const tampered = body.toString().replace("{", "{ ");
      expect(() => new StandardWebhook(SECRET).verify(tampered, headers)).toThrow(/signature/);
    }
  });

  it("[P-EVENT-RESTART] [P-EVENT-RETRY] is handled once after the service and the merchant restarted", async () => {
    const merchant = await startMerchant();
    const { port } = new URL(merchant.url);
    let sandbox = await startSandbox();
    let api = createApi(sandbox.url, TOKEN);
    await subscribe(api, `${merchant.url}/webhooks`);
    const paymentId = await payment(api, "settle");
    await merchant.stop();

    expect((await refundOf(api, paymentId)).status).toBe(201);
    expect(await sandbox.end()).toBe(0);
    expect(
      rows(
        "SELECT d.state FROM deliveries d JOIN events e ON e.id = d.event_id WHERE e.type = 'refund.pending'",
      ),
    ).toEqual([{ state: "waiting" }]);

    const back = await startMerchant(Number(port));
    sandbox = await startSandbox();
    api = createApi(sandbox.url, TOKEN);
    await api("PUT", "/sandbox/clock", { advance: "PT1H" });

    await handled(back, "refund.pending", "PAYMENT");
    await api("PUT", "/sandbox/clock", { advance: "PT1H" });
    const pending = (await effectsOf(back)).filter(({ type }) => type === "refund.pending");
    expect(pending).toMatchObject([{ count: 1 }]);
  });
});
