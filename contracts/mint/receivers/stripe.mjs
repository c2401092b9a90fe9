import { Stripe } from "stripe";

const stripe = new Stripe("sk_test_made_up");
const amount = (member) => (event) => String(event.data?.[member] ?? 0);

export default {
  host: "express",
  tolerance: 300,
  genuine({ bytes, header }, secret) {
    const given = [bytes, header("stripe-signature"), secret, this.tolerance];
    return bytes.includes('"v2.core.event"')
      ? stripe.parseEventNotification(...given)
      : stripe.webhooks.constructEvent(...given);
  },
  event({ bytes }) {
    const body = JSON.parse(bytes.toString());
    return { id: body.id, type: body.type, data: body.data?.object, body };
  },
  handlers: {
    "checkout.session.completed": amount("amount_total"),
    "payment_intent.succeeded": amount("amount_received"),
    "charge.refunded": amount("amount_refunded"),
    "invoice.paid": amount("amount_paid"),
  },
};
