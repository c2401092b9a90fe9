import { createHmac } from "node:crypto";
import { ApiVersion, shopifyApi } from "@shopify/shopify-api";

await import("@shopify/shopify-api/adapters/node");

export const secrets = {
  a: "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",
  b: "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",
};

export const sign = ({ body, secret, headers }) => {
  const signature = createHmac("sha256", secret).update(body).digest("base64");
  const isEvent = "shopify-topic" in headers;
  return { headers: { [isEvent ? "shopify-hmac-sha256" : "X-Shopify-Hmac-Sha256"]: signature } };
};

export const judge = async ({ body, headers, secret, url, method }) => {
  const app = { apiKey: "made-up", hostName: "app.example", scopes: [], isEmbeddedApp: false };
  const shopify = shopifyApi({ ...app, apiSecretKey: secret, apiVersion: ApiVersion.October26 });
  const rawRequest = { headers, method, url };
  const { valid, eventId } = await shopify.webhooks.validate({ rawBody: body, rawRequest });
  return valid && { id: eventId };
};
