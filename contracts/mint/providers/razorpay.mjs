import Razorpay from "razorpay";
import { hmac } from "../sign.mjs";

export const secrets = {
  a: "JJwiklu2kYHChKqeCpeq7lRAeY0griTv",
  b: "42pXtPnW0zf8uUJ9WdhU1C5Ep7E4F4vW",
};

export const sign = ({ body, secret }) => ({
  headers: { "X-Razorpay-Signature": hmac(secret, body) },
});

export const judge = ({ body, header, secret }) =>
  Razorpay.validateWebhookSignature(body, header("X-Razorpay-Signature"), secret);
