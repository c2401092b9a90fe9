import { ApiVersion, shopifyApi } from "@shopify/shopify-api";

await import("@shopify/shopify-api/adapters/node");
const app = { apiKey: "made-up", hostName: "app.example", scopes: [], isEmbeddedApp: false };
const options = { ...app, apiVersion: ApiVersion.October26, logger: { level: 0 } };

/** Reads a price such as "414.95" as whole cents, without binary fractions. */
const cents = (price) => {
  const [, units, hundredths = ""] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(price) ?? [];
  return units && String(BigInt(units + hundredths.padEnd(2, "0")));
};

export default {
  host: "express",
  deadlineMs: 4_000,
  async genuine({ bytes, headers, method, url }, apiSecretKey) {
    const { webhooks } = shopifyApi({ ...options, apiSecretKey });
    const rawRequest = { headers, method, url };
    return (await webhooks.validate({ rawBody: bytes.toString(), rawRequest })).valid;
  },
  event({ bytes, header }) {
    const old = header("x-shopify-topic");
    const webhookId = header(old ? "x-shopify-webhook-id" : "shopify-webhook-id");
    const id = old ? header("x-shopify-event-id") : webhookId;
    const type = old ?? `${header("shopify-topic")}/${header("shopify-action")}`;
    return { id, type, webhookId, body: JSON.parse(bytes.toString()) };
  },
  // The topics of one action share its id.
  key: ({ id, type }) => `${id} ${type}`,
  handlers: {
    "orders/paid": ({ body }) => cents(body.total_price),
    "orders/create": ({ body }) => cents(body.total_price),
    "app/uninstalled": () => undefined,
    "customers/redact": () => undefined,
  },
};
