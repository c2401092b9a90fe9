import { createHmac } from "node:crypto";
import { WebhooksHelper } from "square";

export const secrets = { a: "k3Yd9cTgWq0uVb7nRz5xLA", b: "Zt8mPs1vHf4oJr6wXe2yCQ" };
export const url = "https://shop.example/webhooks/square";

export const sign = ({ body, secret, url: signed }) => ({
  headers: {
    "x-square-hmacsha256-signature": createHmac("sha256", secret)
      .update(signed + body)
      .digest("base64"),
  },
});

export const judge = ({ body, header, secret, url: notificationUrl }) =>
  WebhooksHelper.verifySignature({
    requestBody: body,
    signatureHeader: header("x-square-hmacsha256-signature"),
    signatureKey: secret,
    notificationUrl,
  });
