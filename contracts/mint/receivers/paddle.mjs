import { Paddle } from "@paddle/paddle-node-sdk";

const { webhooks } = new Paddle("made-up");

export default {
  host: "http",
  deadlineMs: 4_000,
  // During a rotation the header has several signatures, of which the library reads the last.
  async genuine({ bytes, header }, secret) {
    const [time, ...list] = (header("paddle-signature") ?? "").split(";");
    for (const each of list.filter((pair) => pair.startsWith("h1="))) {
      const signature = `${time};${each}`;
      if (await webhooks.isSignatureValid(bytes.toString(), secret, signature)) return true;
    }
    return false;
  },
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
