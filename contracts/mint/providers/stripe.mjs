import { Stripe } from "stripe";

const stripe = new Stripe("sk_test_made_up");

export const secrets = {
  a: "whsec_9oYzVbQ2mK4sTjX7rLwD1nFgHcA5eP8u",
  b: "whsec_U3kMfN6xWqB0vRzS8yGtJhC2dL7pE4aI",
};

export const sign = ({ body, secret, seconds }) => {
  const message = { payload: body, secret, timestamp: seconds };
  return { headers: { "Stripe-Signature": stripe.webhooks.generateTestHeaderString(message) } };
};

export const judge = ({ bytes, header, secret }) =>
  bytes.includes('"v2.core.event"')
    ? stripe.parseEventNotification(bytes, header("Stripe-Signature"), secret)
    : stripe.webhooks.constructEvent(bytes, header("Stripe-Signature"), secret);
