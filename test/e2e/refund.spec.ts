import { join } from "node:path";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, it } from "vitest";
import { serveHere, type Served } from "../../packages/cli/test/ran.ts";
import { type Api, createApi } from "../../packages/dev/src/api.ts";
import { openReceiver } from "../../packages/sandbox/test/open-sandbox.ts";
import { payment } from "./payment.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const TOKEN = "cst_end-to-end-token-0123456789abcdef";

const startSandbox = (database = join(temporaryFolder(), "sandbox.db")): Promise<Served> =>
  serveHere(["sandbox", "--port", "0", "--database", database], { COUNTERSIGN_TOKEN: TOKEN });

/** Subscribes to the events of payments, and asks for a refund. @returns The refund's id. */
async function refundOf(api: Api, { paymentId, url }: { paymentId: string; url: string }) {
  const subscriptionDetails = { type: "CATEGORY", details: ["PAYMENT"] };
  const endpoint = { url, secretKey: SECRET, subscriptionDetails };
  expect((await api("POST", "/v1/webhook/subscribe", endpoint)).status).toBe(200);
  const amount = { currency: "USD", value: 10.5 };
  const refund = { paymentId, amount, requestKey: "order-7-refund-1" };
  const { status, body } = await api("POST", "/v1/refunds", refund);
  expect(status).toBe(201);
  return (body as { paymentId: string }).paymentId;
}

describe("a refund", () => {
  it("[P-EVENT-SIGNED] is delivered before and after its threshold, signed as other people's libraries verify it", async () => {
    const { url, arrived } = await openReceiver(204);
    const api = createApi((await startSandbox()).url, TOKEN);
    const refundId = await refundOf(api, { paymentId: await payment(api, "settle"), url });
    // Over any weekend and holiday: three business days are at most six calendar days here.
    expect((await api("PUT", "/sandbox/clock", { advance: "P7D" })).status).toBe(200);

    expect(arrived.map(({ type }) => type)).toEqual(["refund.pending", "refund.authorized"]);
    for (const { headers, body } of arrived) {
      expect(body.toString()).toContain(`"paymentId":"${refundId}"`);
      expect(new StandardWebhook(SECRET).verify(body.toString(), headers)).toMatchObject({
        id: headers["webhook-id"],
      });
      expect(() => new SvixWebhook(SECRET).verify(body.toString(), headers)).not.toThrow();
      const tampered = body.toString().replace("{", "{ ");
      expect(() => new StandardWebhook(SECRET).verify(tampered, headers)).toThrow(/signature/);
    }
  });

  it("[P-EVENT-RESTART] [P-EVENT-RETRY] is delivered again after its endpoint failed and the service restarted", async () => {
    const { url, arrived, hasArrived } = await openReceiver(503, 204);
    const database = join(temporaryFolder(), "sandbox.db");
    const one = await startSandbox(database);
    const api = createApi(one.url, TOKEN);
    await refundOf(api, { paymentId: await payment(api, "settle"), url });
    await hasArrived(1);
    expect(await one.end()).toBe(0);

    const again = createApi((await startSandbox(database)).url, TOKEN);
    for (const _ of [1, 2]) await again("PUT", "/sandbox/clock", { advance: "PT1H" });
    expect(arrived.map(({ type }) => type)).toEqual(["refund.pending", "refund.pending"]);
    expect(arrived[1]?.headers["webhook-id"]).toBe(arrived[0]?.headers["webhook-id"]);
  });
});
