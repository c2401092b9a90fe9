// Express and standardwebhooks, as the library's README shows.
import express from "express";
import { Webhook } from "standardwebhooks";
import { handleOnce, mountEffects } from "./ledger.mjs";

const { PORT, WEBHOOK_SECRET = "" } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);
const app = express();

app.post("/webhooks", express.raw({ type: "application/json" }), (req, res) => {
  let event;
  try {
    event = webhook.verify(req.body, req.headers);
  } catch {
    return res.status(400).json({});
  }
  handleOnce(event);
  return res.json({});
});

mountEffects(app, express.json());
app.listen(Number(PORT), "127.0.0.1");
