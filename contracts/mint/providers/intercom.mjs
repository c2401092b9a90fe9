import { hmac } from "../sign.mjs";

export const secrets = {
  a: "b30c31dd134fa082cfa0f039f7-414375412",
  b: "825de02730-f40-38debdcc49-2f63bfdfb7",
};

export const sign = ({ body, secret }) => ({
  headers: { "X-Hub-Signature": `sha1=${hmac(secret, body, "hex", "sha1")}` },
});
