// The same shop written by hand, with the vendors' SDKs as their guides show: verify the signature, look the id up,
// book, log the id. The SDKs are those of contracts/mint.
import { setTimeout } from "node:timers/promises";
import express from "express";
import { sdk, shopifyOf } from "../../../contracts/mint/sdk.mjs";

/** The app of a shop. `logFirst`: the id is logged before the booking, as other guides say. */
export async function shopByHand(pool, secrets, { logFirst }) {
  const { Stripe } = await sdk("stripe");
  const { verifyWithFallback } = await sdk("@octokit/webhooks-methods");
  const stripe = new Stripe("sk_test_made_up");
  const shopifyApps = await Promise.all(secrets.shopify.map(shopifyOf));
  await pool.query(
    "CREATE TABLE IF NOT EXISTS processed (provider text, id text, PRIMARY KEY (provider, id))",
  );

  const isProcessed = async (provider, id) => {
    const text = "SELECT 1 FROM processed WHERE provider = $1 AND id = $2";
    return (await pool.query(text, [provider, id])).rowCount > 0;
  };
  const log = async (provider, id) => {
    const text = "INSERT INTO processed (provider, id) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    return (await pool.query(text, [provider, id])).rowCount > 0;
  };
  const book = async (provider, id) => {
    await pool.query("INSERT INTO booked (provider, id) VALUES ($1, $2)", [provider, id]);
    await setTimeout(5);
  };
  const handle = async (provider, id) => {
    if (logFirst) {
      if (await log(provider, id)) await book(provider, id);
    } else if (!(await isProcessed(provider, id))) {
      await book(provider, id);
      await log(provider, id);
    }
  };

  // Stripe's and Shopify's SDKs take one secret: while one is replaced, the shop tries each.
  const stripeEvent = ({ body, headers }, own) => {
    for (const secret of own) {
      try {
        return stripe.webhooks.constructEvent(body, headers["stripe-signature"], secret);
      } catch {
        // Signed with the other one, or forged.
      }
    }
    return undefined;
  };
  const [githubSecret, ...olderSecrets] = secrets.github;
  const isFromGithub = ({ body, headers }) =>
    verifyWithFallback(
      githubSecret,
      body.toString("utf8"),
      headers["x-hub-signature-256"],
      olderSecrets,
    );
  const isFromShopify = async (rawRequest) => {
    const message = { rawBody: rawRequest.body.toString("utf8"), rawRequest };
    const verdicts = shopifyApps.map(({ webhooks }) => webhooks.validate(message));
    return (await Promise.all(verdicts)).some(({ valid }) => valid);
  };

  const app = express();
  app.use(express.raw({ type: "*/*" }));
  for (const [path, own] of [
    ["stripe", secrets.stripe],
    ["stripe-connect", secrets.stripeConnect],
  ])
    app.post(`/webhooks/${path}`, async (req, res) => {
      const event = stripeEvent(req, own);
      if (event === undefined) {
        res.sendStatus(400);
        return;
      }
      await handle("stripe", event.id);
      res.json({ received: true });
    });
  app.post("/webhooks/github", async (req, res) => {
    if (!(await isFromGithub(req))) {
      res.sendStatus(400);
      return;
    }
    await handle("github", req.headers["x-github-delivery"]);
    res.sendStatus(202);
  });
  app.post("/webhooks/shopify", async (req, res) => {
    if (!(await isFromShopify(req))) {
      res.sendStatus(401);
      return;
    }
    await handle("shopify", req.headers["x-shopify-event-id"]);
    res.sendStatus(200);
  });
  return app;
}
