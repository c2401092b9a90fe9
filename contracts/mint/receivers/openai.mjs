import OpenAI from "openai";

const { webhooks } = new OpenAI({ apiKey: "sk-made-up" });

export default {
  host: "http",
  tolerance: 300,
  async genuine({ bytes, headers }, secret) {
    await webhooks.unwrap(bytes.toString(), headers, secret, this.tolerance);
    return true;
  },
  event({ bytes, headers }) {
    const body = JSON.parse(bytes.toString());
    return { id: headers["webhook-id"], type: body.type, body };
  },
  handlers: {
    "response.completed": () => undefined,
    "batch.completed": () => undefined,
  },
};
