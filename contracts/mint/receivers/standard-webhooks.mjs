import { Webhook } from "standardwebhooks";

export default {
  host: "http",
  async verify({ bytes, headers }) {
    const body = await this.trySecrets((secret) => new Webhook(secret).verify(bytes, headers));
    return { id: headers["webhook-id"], type: body.type, body };
  },
  handlers: {
    "payment.created": ({ body }) => String(body.data?.amount ?? 0),
    "user.created": () => undefined,
  },
};
