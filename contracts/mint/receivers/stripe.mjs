import { Stripe } from "stripe";

const stripe = new Stripe("sk_test_made_up");
const amount = (member) => (event) => String(event.data?.[member] ?? 0);

export default {
  host: "express",
  tolerance: 300,
  async verify({ bytes, header }) {
    const signature = header("stripe-signature");
    const event = await this.trySecrets((secret) =>
      bytes.includes('"v2.core.event"')
        ? stripe.parseEventNotification(bytes, signature, secret, this.tolerance)
        : stripe.webhooks.constructEvent(bytes, signature, secret, this.tolerance),
    );
    return { id: event.id, type: event.type, data: event.data?.object, body: event };
  },
  handlers: {
    "checkout.session.completed": amount("amount_total"),
    "payment_intent.succeeded": amount("amount_received"),
    "charge.refunded": amount("amount_refunded"),
    "invoice.paid": amount("amount_paid"),
  },
};
