import { WebhookEventVerifier } from "@onfido/api";
import { hmac } from "../sign.mjs";

export const secrets = {
  a: "YE10H7gKVX4MA5T_UkpffwPPL6u8X0GB",
  b: "VtovdXGc2JWHW4Pbumtx6jHmHMMMSFID",
};

export const sign = ({ body, secret }) => ({
  headers: { "X-SHA2-Signature": hmac(secret, body) },
});

export const judge = ({ bytes, header, secret }) => {
  new WebhookEventVerifier(secret).readPayload(bytes, header("X-SHA2-Signature"));
};
