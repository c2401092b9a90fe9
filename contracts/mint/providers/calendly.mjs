import { hmac } from "../sign.mjs";

export const secrets = {
  a: "qhS94bbaTraWKb5Oplzc3q5jXIhNElVDhIqCQzoIhVX",
  b: "MLiYeafCJWkmZicuXti17xRbZ43xxnQsc23g8IsHgvZ",
};

export const sign = ({ body, secret, seconds }) => ({
  headers: {
    "Calendly-Webhook-Signature": `t=${seconds},v1=${hmac(secret, `${seconds}.${body}`)}`,
  },
});
