import { Paddle } from "@paddle/paddle-node-sdk";

const { webhooks } = new Paddle("made-up");

export default {
  host: "http",
  deadlineMs: 4_000,
  async verify({ bytes, header }) {
    const text = bytes.toString();
    const signature = header("paddle-signature") ?? "";
    await this.trySecrets((secret) => webhooks.isSignatureValid(text, secret, signature));
    const body = JSON.parse(text);
    return { id: body.event_id, type: body.event_type, data: body.data, body };
  },
  handlers: {
    "transaction.completed": ({ data }) => data?.details?.totals?.total,
    "subscription.created": () => undefined,
    "adjustment.created": ({ data }) => data?.totals?.total,
  },
};
