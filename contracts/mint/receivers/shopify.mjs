import { ApiVersion, shopifyApi } from "@shopify/shopify-api";

await import("@shopify/shopify-api/adapters/node");
const app = { apiKey: "made-up", hostName: "app.example", scopes: [], isEmbeddedApp: false };
const api = (apiSecretKey) =>
  shopifyApi({ ...app, apiSecretKey, apiVersion: ApiVersion.October26, logger: { level: 0 } });

/** Reads a price such as "414.95" as whole cents, without binary fractions. */
const cents = (price) => {
  const [, units, hundredths = ""] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(price) ?? [];
  return units && String(BigInt(units + hundredths.padEnd(2, "0")));
};

export default {
  host: "express",
  deadlineMs: 4_000,
  async verify({ bytes, headers, header, method, url }) {
    const rawBody = bytes.toString();
    this.apis ??= new Map(this.secrets.map((secret) => [secret, api(secret)]));
    const rawRequest = { headers, method, url };
    const { eventId, webhookId } = await this.trySecrets(async (secret) => {
      const result = await this.apis.get(secret).webhooks.validate({ rawBody, rawRequest });
      return result.valid && result;
    });
    const body = JSON.parse(rawBody);
    const type =
      header("x-shopify-topic") ?? `${header("shopify-topic")}/${header("shopify-action")}`;
    return { id: eventId ?? webhookId, type, body, webhookId };
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
