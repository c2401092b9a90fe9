// Express and stripe, as the library's README shows.
import express from "express";
import { Stripe } from "stripe";
import { handleOnce, mountEffects } from "./ledger.mjs";

const { PORT, WEBHOOK_SECRET = "" } = process.env;
const stripe = new Stripe("sk_test_unused");
const app = express();

app.post("/webhooks", express.raw({ type: "application/json" }), (req, res) => {
  let event;
  try {
    event = stripe.webhooks.constructEvent(
      req.body,
      req.headers["stripe-signature"],
      WEBHOOK_SECRET,
    );
  } catch (error) {
    res.status(400).send(`Webhook Error: ${error.message}`);
    return;
  }
  handleOnce(event);
  res.json({ received: true });
});

mountEffects(app, express.json());
app.listen(Number(PORT), "127.0.0.1");
