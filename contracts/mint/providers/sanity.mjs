import { encodeSignatureHeader, isValidSignature } from "@sanity/webhook";

export const secrets = {
  a: "bkq1k5NpMmK5Q7ZB8KGZfNWBjH17Em4z",
  b: "W2txQuHMi6dXxe1yNYhz74SY264feG0L",
};

export const sign = async ({ body, now, secret }) => ({
  headers: { "sanity-webhook-signature": await encodeSignatureHeader(body, now, secret) },
});

export const judge = ({ body, header, secret }) =>
  isValidSignature(body, header("sanity-webhook-signature"), secret);
