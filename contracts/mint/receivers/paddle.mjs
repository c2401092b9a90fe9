import { Paddle } from "@paddle/paddle-node-sdk";

const { webhooks } = new Paddle("made-up");

export default {
  host: "http",
  deadlineMs: 4_000,
  genuine: ({ bytes, header }, secret) =>
    webhooks.isSignatureValid(bytes.toString(), secret, header("paddle-signature") ?? ""),
  event({ bytes }) {
    const body = JSON.parse(bytes.toString());
    return { id: body.event_id, type: body.event_type, data: body.data, body };
  },
  handlers: {
    "transaction.completed": ({ data }) => data?.details?.totals?.total,
    "subscription.created": () => undefined,
    "adjustment.created": ({ data }) => data?.totals?.total,
  },
};
