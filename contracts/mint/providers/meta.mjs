import { hmac } from "../sign.mjs";

export const secrets = {
  a: "85c7277f6ff6bfdbdc38a2849cb64602",
  b: "135d7fb4d08d42f5e12946ef6df4184c",
};

export const sign = ({ body, secret }) => ({
  headers: { "X-Hub-Signature-256": `sha256=${hmac(secret, body)}` },
});
