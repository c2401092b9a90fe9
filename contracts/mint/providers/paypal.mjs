import { sign as signRsa } from "node:crypto";
import { crc32 } from "node:zlib";
import { certificateOf, rsaPair } from "../keys.mjs";

// The secrets are the ids of webhooks, which PayPal signs. The library has no verification without a call to PayPal.
export const secrets = { a: "1JE4291016473214C", b: "0EH40505U7160970P" };
const [pair, other] = [rsaPair(1), rsaPair(2)];
export const keys = {
  a: certificateOf(pair, "messageverificationcerts.paypal.example"),
  b: certificateOf(other, "messageverificationcerts.paypal.example"),
};

export const sign = ({ body, headers, secret }) => {
  const sent = [headers["PAYPAL-TRANSMISSION-ID"], headers["PAYPAL-TRANSMISSION-TIME"]];
  const text = [...sent, secret, crc32(body)].join("|");
  const signature = signRsa("sha256", Buffer.from(text), pair.privateKey).toString("base64");
  return { headers: { "PAYPAL-TRANSMISSION-SIG": signature } };
};
