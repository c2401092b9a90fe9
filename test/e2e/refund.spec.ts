import { join } from "node:path";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, it } from "vitest";
import { serveHere, type Served } from "../../packages/cli/test/ran.ts";
import { createApi } from "../../packages/dev/src/api.ts";
import { openReceiver, openSandbox, SECRET } from "../../packages/sandbox/test/open-sandbox.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const TOKEN = "cst_end-to-end-token-0123456789abcdef";

describe("a refund", () => {
  it("[P-EVENT-SIGNED] is delivered signed as other people's libraries verify it", async () => {
    const { url, arrived } = await openReceiver(204);
    const { move, refund, seeded, subscribe } = await openSandbox();
    await subscribe(url);
    expect((await refund("order-7", seeded.payments.recent)).status).toBe(201);
    await move({ advance: "P7D" });
    expect(arrived.map(({ type }) => type)).toEqual(["refund.pending", "refund.authorized"]);
    const key = Buffer.from(SECRET).toString("base64");
    for (const { headers, body } of arrived) {
      expect(new StandardWebhook(key).verify(body.toString(), headers)).toMatchObject({
        id: headers["webhook-id"],
      });
      expect(() => new SvixWebhook(key).verify(body.toString(), headers)).not.toThrow();
      const tampered = body.toString().replace("{", "{ ");
      expect(() => new StandardWebhook(key).verify(tampered, headers)).toThrow(/signature/);
    }
  });

  it("[P-EVENT-RESTART] [P-EVENT-RETRY] is delivered again after its endpoint failed and the service restarted", async () => {
    const { url, arrived, hasArrived } = await openReceiver(503, 204);
    const args = ["sandbox", "--port", "0", "--database", join(temporaryFolder(), "sandbox.db")];
    const start = (): Promise<Served> => serveHere(args, { COUNTERSIGN_TOKEN: TOKEN });
    const one = await start();
    const api = createApi(one.url, TOKEN);
    const subscriptionDetails = { type: "CATEGORY", details: ["PAYMENT"] };
    await api("POST", "/v1/webhook/subscribe", { url, secretKey: SECRET, subscriptionDetails });
    const { payments } = (await api("GET", "/sandbox/payments")).body as {
      payments: { paymentId: string; amount: { value: number } }[];
    };
    // It has settled now, so that its refund is PENDING.
    const paymentId = payments.find((payment) => payment.amount.value === 250)?.paymentId;
    const amount = { currency: "USD", value: 10.5 };
    const order = { paymentId, amount, requestKey: "order-7" };
    expect((await api("POST", "/v1/refunds", order)).status).toBe(201);
    await hasArrived(1);
    expect(await one.end()).toBe(0);

    const again = createApi((await start()).url, TOKEN);
    for (const _ of [1, 2]) await again("PUT", "/sandbox/clock", { advance: "PT1H" });
    expect(arrived.map(({ type }) => type)).toEqual(["refund.pending", "refund.pending"]);
    expect(arrived[1]?.headers["webhook-id"]).toBe(arrived[0]?.headers["webhook-id"]);
  });
});
