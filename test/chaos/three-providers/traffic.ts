import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import type { Random } from "../../fuzz/random.ts";
import type { Secrets } from "./app.ts";

/** False if the vendors' SDKs are not installed: `npm run mint` installs them. */
export const hasSdks = existsSync(
  new URL("../../../contracts/mint/node_modules/stripe/package.json", import.meta.url),
);

/** Loads a vendor's SDK; its types are not in the workspace. */
async function sdk(name: string): Promise<unknown> {
  const path = new URL("../../../contracts/mint/sdk.mjs", import.meta.url).href;
  const module = (await import(path)) as { readonly sdk: (name: string) => Promise<unknown> };
  return module.sdk(name);
}

/** One event on its way to one endpoint; `sign` makes the request of one attempt. */
export interface Delivery {
  readonly provider: "stripe" | "github" | "shopify";
  readonly id: string;
  readonly path: string;
  sign(
    secrets: Secrets,
  ): Promise<{ readonly headers: Record<string, string>; readonly body: string }>;
}

/** The part of Stripe's SDK that signs. */
interface StripeSdk {
  readonly webhooks: {
    generateTestHeaderString(options: { payload: string; secret: string }): string;
  };
}
interface OctokitMethods {
  sign(secret: string, body: string): Promise<string>;
}

/** Creates deliveries as the three providers make them; Stripe sends each event to two endpoints. */
export async function trafficOf(random: Random): Promise<(number: number) => readonly Delivery[]> {
  const { Stripe } = (await sdk("stripe")) as { readonly Stripe: new (key: string) => StripeSdk };
  const octokit = (await sdk("@octokit/webhooks-methods")) as OctokitMethods;
  const stripe = new Stripe("sk_test_made_up");

  const toStripe = (id: string, path: string, version: string): Delivery => ({
    provider: "stripe",
    id,
    path: `/webhooks/${path}`,
    sign(secrets) {
      const own = path === "stripe" ? secrets.stripe : secrets.stripeConnect;
      const body = JSON.stringify({
        id,
        object: "event",
        api_version: version,
        account: path === "stripe" ? undefined : "acct_1032D82eZvKYlo2C",
        created: Math.floor(Date.now() / 1000),
        data: { object: { id: `ch_${id}`, object: "charge", amount: 1999, currency: "usd" } },
        livemode: true,
        // Each retry has another number here.
        pending_webhooks: random.int(5),
        type: "charge.succeeded",
      });
      // While a secret is rolled, Stripe signs with both.
      const texts = own.map((secret) =>
        stripe.webhooks.generateTestHeaderString({ payload: body, secret }),
      );
      const [first = "", ...others] = texts;
      const more = others.map((text) => `,${text.split(",").at(1) ?? ""}`).join("");
      return Promise.resolve({ headers: { "stripe-signature": first + more }, body });
    },
  });

  return (number) => {
    switch (number % 3) {
      case 0: {
        const id = `evt_${String(number)}`;
        // Two endpoints of different API versions get the same event.
        return [toStripe(id, "stripe", "2025-03-31"), toStripe(id, "stripe-connect", "2026-09-30")];
      }
      case 1: {
        const id = `72d3162e-cc78-11e3-81ab-${String(number).padStart(12, "0")}`;
        const body = JSON.stringify({
          action: "opened",
          number,
          pull_request: { id: number, title: "Add a feature" },
          repository: { id: 1, full_name: "shop/site" },
        });
        return [
          {
            provider: "github",
            id,
            path: "/webhooks/github",
            sign: async ({ github: [secret = ""] }) => ({
              headers: {
                "x-github-event": "pull_request",
                "x-github-delivery": id,
                "x-hub-signature-256": await octokit.sign(secret, body),
              },
              body,
            }),
          },
        ];
      }
      default: {
        const id = `98880550-7158-44d4-b7cd-${String(number).padStart(12, "0")}`;
        const body = JSON.stringify({
          id: number,
          name: `#${String(number)}`,
          total_price: "19.99",
        });
        return [
          {
            provider: "shopify",
            id,
            path: "/webhooks/shopify",
            // Shopify's SDK only verifies.
            sign: ({ shopify: [secret = ""] }) =>
              Promise.resolve({
                headers: {
                  "x-shopify-topic": "orders/create",
                  "x-shopify-event-id": id,
                  "x-shopify-webhook-id": `b54557e4-bdd9-4b37-8a5f-${String(number).padStart(12, "0")}`,
                  "x-shopify-shop-domain": "shop.myshopify.com",
                  "x-shopify-api-version": "2026-07",
                  "x-shopify-hmac-sha256": createHmac("sha256", secret)
                    .update(body)
                    .digest("base64"),
                },
                body,
              }),
          },
        ];
      }
    }
  };
}
