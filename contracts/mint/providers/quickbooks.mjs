import { hmac } from "../sign.mjs";

export const secrets = {
  a: "b-d-fb3e-5cbda4e071bf1564dd287-67dad",
  b: "2078e-bb2838931d-00c00634b6ade177-fb",
};

export const sign = ({ body, secret }) => ({
  headers: { "intuit-signature": hmac(secret, body, "base64") },
});
