// Hono on Node.js and standardwebhooks.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Webhook } from "standardwebhooks";
import { effects, failNext, handleOnce } from "./ledger.mjs";

const { PORT, WEBHOOK_SECRET = "" } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);
const app = new Hono();

app.post("/webhooks", async (c) => {
  const body = await c.req.text();
  let event;
  try {
    event = webhook.verify(body, c.req.header());
  } catch {
    return c.json({ error: "invalid signature" }, 401);
  }
  handleOnce(event);
  return c.body(null, 204);
});

app.get("/effects", (c) => c.json(effects()));
app.put("/effects", async (c) => {
  failNext(await c.req.json());
  return c.body(null, 204);
});

serve({ fetch: app.fetch, port: Number(PORT), hostname: "127.0.0.1" });
