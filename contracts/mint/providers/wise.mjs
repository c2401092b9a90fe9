import { rsaPair } from "../keys.mjs";
import { pkcs8, signRsa, spki } from "../sign.mjs";

const pairs = { a: rsaPair(7), b: rsaPair(8) };

export const secrets = { a: spki(pairs.a), b: spki(pairs.b) };
export const privateKeys = { a: pkcs8(pairs.a) };

export const sign = ({ body, name }) => ({
  headers: { "X-Signature-SHA256": signRsa(pairs[name], body).toString("base64") },
});
