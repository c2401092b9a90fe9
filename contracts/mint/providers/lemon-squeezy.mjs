import { hmac } from "../sign.mjs";

export const secrets = {
  a: "lemons-are-not-limes-4711",
  b: "limes-are-not-lemons-0815",
};

export const sign = ({ body, secret }) => ({
  headers: { "X-Signature": hmac(secret, body) },
});
