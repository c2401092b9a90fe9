import { hmac } from "../sign.mjs";

export const secrets = {
  a: "sk_test_db447ac4a44d65a0aa7426b8a9167ccd03530013",
  b: "sk_test_92b5149430b957b8255913903e45448412922631",
};

export const sign = ({ body, secret }) => ({
  headers: { "x-paystack-signature": hmac(secret, body, "hex", "sha512") },
});
