// The same shop written by hand, with the vendors' SDKs as their guides show: verify the signature, look the id up,
// book, log the id. The SDKs are those of contracts/mint.
import { setTimeout } from "node:timers/promises";
import express from "express";
import { sdk } from "../../../contracts/mint/sdk.mjs";

/** The app of a shop. `logFirst`: the id is logged before the booking, as other guides say. */
export async function shopByHand(pool, secrets, { logFirst }) {
  const { Stripe } = await sdk("stripe");
  const { verify } = await sdk("@octokit/webhooks-methods");
  const { shopifyApi, ApiVersion } = await sdk("@shopify/shopify-api");
  await sdk("@shopify/shopify-api/adapters/node");
  const shopify = shopifyApi({
    apiSecretKey: secrets.shopify[0],
    apiKey: "made-up",
    apiVersion: Object.values(ApiVersion).at(-1),
    hostName: "shop.example",
    isEmbeddedApp: false,
    isCustomStoreApp: false,
    logger: { log: () => undefined },
  });
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

  const app = express();
  app.use(express.raw({ type: "*/*" }));
  for (const [path, [secret]] of [
    ["stripe", secrets.stripe],
    ["stripe-connect", secrets.stripeConnect],
  ])
    app.post(`/webhooks/${path}`, async (req, res) => {
      let event;
      try {
        const signature = req.headers["stripe-signature"];
        event = new Stripe("sk_test_made_up").webhooks.constructEvent(req.body, signature, secret);
      } catch (error) {
        res.status(400).send(`Webhook Error: ${error.message}`);
        return;
      }
      await handle("stripe", event.id);
      res.json({ received: true });
    });
  app.post("/webhooks/github", async (req, res) => {
    const isGenuine = await verify(
      secrets.github[0],
      req.body.toString("utf8"),
      req.headers["x-hub-signature-256"],
    );
    if (!isGenuine) {
      res.sendStatus(400);
      return;
    }
    await handle("github", req.headers["x-github-delivery"]);
    res.sendStatus(202);
  });
  app.post("/webhooks/shopify", async (req, res) => {
    const { valid } = await shopify.webhooks.validate({
      rawBody: req.body.toString("utf8"),
      rawRequest: req,
      rawResponse: res,
    });
    if (!valid) {
      res.sendStatus(401);
      return;
    }
    await handle("shopify", req.headers["x-shopify-event-id"]);
    res.sendStatus(200);
  });
  return app;
}
