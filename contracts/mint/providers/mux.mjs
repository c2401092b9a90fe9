import Mux from "@mux/mux-node";
import { hmac } from "../sign.mjs";

export const secrets = {
  a: "fi2bq6eiAz5vXWfBRGLXfg2z7GBSTdAl",
  b: "3gVKWmUWdLY0IY5lMubmgbvhsrJWPWiX",
};

const mux = new Mux({ tokenId: "made-up", tokenSecret: "made-up" });

export const sign = ({ body, secret, seconds }) => ({
  headers: { "Mux-Signature": `t=${seconds},v1=${hmac(secret, `${seconds}.${body}`)}` },
});

export const judge = ({ body, headers, secret }) => mux.webhooks.unwrap(body, headers, secret);
