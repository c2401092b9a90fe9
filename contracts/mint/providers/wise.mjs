import { rsaPair } from "../keys.mjs";
import { pairsOf, signRsa } from "../sign.mjs";

export const { pairs, publicKeys: secrets, privateKeys } = pairsOf(rsaPair, [7, 8]);

export const sign = ({ body, name }) => ({
  headers: { "X-Signature-SHA256": signRsa(pairs[name], body).toString("base64") },
});
