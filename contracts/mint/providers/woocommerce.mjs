import { hmac } from "../sign.mjs";

export const secrets = {
  a: "ck secret &%$ with signs 42 !",
  b: "another secret with spaces",
};

export const sign = ({ body, secret }) => ({
  headers: { "X-WC-Webhook-Signature": hmac(secret, body, "base64") },
});
