import { hmac } from "../sign.mjs";

export const secrets = {
  a: "9b3c1f7e5a2d4c6b8e0f1a3d5c7b9e2f",
  b: "0c4e8a6b2d1f3957c8e0b4a6d2f19375",
};

export const sign = ({ body, secret }) => ({
  headers: { "X-Hub-Signature": `sha256=${hmac(secret, body)}` },
});
