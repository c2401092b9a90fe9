import { hmac } from "../sign.mjs";

export const secrets = {
  a: "4f1c2d3e-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
  b: "7e8f9a0b-1c2d-4e3f-9a5b-6c7d8e9f0a1b",
};

export const sign = ({ body, secret }) => ({
  headers: { "Cko-Signature": hmac(secret, body) },
});
