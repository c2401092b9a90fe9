import { crc32 } from "node:zlib";
import { certificateOf, rsaPair } from "../keys.mjs";
import { pairsOf, signRsa } from "../sign.mjs";

// The secrets are the ids of webhooks, which PayPal signs. The library has no verification without a call to PayPal.
export const secrets = { a: "1JE4291016473214C", b: "0EH40505U7160970P" };
const certificate = (pair) => certificateOf(pair, "messageverificationcerts.paypal.example");
export const { pairs, publicKeys: keys } = pairsOf(rsaPair, [1, 2], certificate);

export const sign = ({ body, headers, secret }) => {
  const sent = [headers["PAYPAL-TRANSMISSION-ID"], headers["PAYPAL-TRANSMISSION-TIME"]];
  const text = [...sent, secret, crc32(body)].join("|");
  const signature = signRsa(pairs.a, text).toString("base64");
  return { headers: { "PAYPAL-TRANSMISSION-SIG": signature } };
};
