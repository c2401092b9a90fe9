import OpenAI from "openai";

const openai = new OpenAI({ apiKey: "sk-made-up" });

export default {
  host: "http",
  tolerance: 300,
  async verify({ bytes, headers }) {
    const body = await this.trySecrets((secret) =>
      openai.webhooks.unwrap(bytes.toString(), headers, secret, this.tolerance),
    );
    return { id: headers["webhook-id"], type: body.type, body };
  },
  handlers: {
    "response.completed": () => undefined,
    "batch.completed": () => undefined,
  },
};
