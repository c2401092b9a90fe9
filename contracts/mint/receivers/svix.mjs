import { Webhook } from "svix";

export default {
  host: "http",
  async verify({ bytes, headers }) {
    await this.trySecrets((secret) => {
      new Webhook(secret).verify(bytes, headers);
      return true;
    });
    const body = JSON.parse(bytes.toString());
    return { id: headers["svix-id"], type: body.type, body };
  },
  handlers: {
    "invoice.paid": ({ body }) => String(body.data?.amount ?? 0),
    "user.created": () => undefined,
  },
};
