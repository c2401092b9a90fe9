import { validateSignature } from "@line/bot-sdk";
import { hmac } from "../sign.mjs";

export const secrets = {
  a: "7f4924ec67ff957d817577822f47f4a8",
  b: "52c746b66dcf583d12dac711e58923e9",
};

export const sign = ({ body, secret }) => ({
  headers: { "x-line-signature": hmac(secret, body, "base64") },
});

export const judge = ({ bytes, header, secret }) =>
  validateSignature(bytes, secret, header("x-line-signature"));
