import { WebhooksHelper } from "square";
import { hmac } from "../sign.mjs";

export const secrets = { a: "k3Yd9cTgWq0uVb7nRz5xLA", b: "Zt8mPs1vHf4oJr6wXe2yCQ" };
export const url = "https://shop.example/webhooks/square";

export const sign = ({ body, secret, url: signed }) => ({
  headers: { "x-square-hmacsha256-signature": hmac(secret, signed + body, "base64") },
});

export const judge = ({ body, header, secret, url: notificationUrl }) =>
  WebhooksHelper.verifySignature({
    requestBody: body,
    signatureHeader: header("x-square-hmacsha256-signature"),
    signatureKey: secret,
    notificationUrl,
  });
