import { Webhook } from "svix";

export const secrets = {
  a: "whsec_plJ3nmyCDGBKInavdOK15jsl3nhqYkJ2",
  b: "whsec_X7cNqW2sVbR9tYhG4mKzLdPfJ1aQeU8o",
};

export const sign = ({ body, id, secret, seconds }) => ({
  headers: {
    "svix-id": id,
    "svix-timestamp": String(seconds),
    "svix-signature": new Webhook(secret).sign(id, new Date(seconds * 1000), body),
  },
});

export const judge = ({ bytes, headers, secret }) => new Webhook(secret).verify(bytes, headers);
