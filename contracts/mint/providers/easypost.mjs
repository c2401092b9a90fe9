import EasyPost from "@easypost/api";
import { hmac } from "../sign.mjs";

export const secrets = {
  a: "sëcret-TxHgImTidbnADL6ZyTJ4",
  b: "sëcret-QsqXRO1dpuyiPBzYCaoZ",
};

export const sign = ({ body, secret }) => ({
  headers: { "X-Hmac-Signature": `hmac-sha256-hex=${hmac(secret.normalize("NFKD"), body)}` },
});

export const judge = ({ bytes, headers, secret }) => {
  new EasyPost("made-up").Utils.validateWebhook(bytes, headers, secret);
};
