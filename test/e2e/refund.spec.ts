import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { expect, it } from "vitest";
import {
  openReceiver,
  openSandbox,
  SECRET,
} from "../../packages/service/test/sandbox/open-sandbox.ts";

it("[P-EVENT-SIGNED] a refund is delivered signed as other people's libraries verify it", async () => {
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
