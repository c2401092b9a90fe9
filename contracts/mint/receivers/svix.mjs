import { Webhook } from "svix";

export default {
  host: "http",
  genuine({ bytes, headers }, secret) {
    new Webhook(secret).verify(bytes, headers);
    return true;
  },
  event({ bytes, headers }) {
    const body = JSON.parse(bytes.toString());
    return { id: headers["svix-id"], type: body.type, body };
  },
  handlers: {
    "invoice.paid": ({ body }) => String(body.data?.amount ?? 0),
    "user.created": () => undefined,
  },
};
