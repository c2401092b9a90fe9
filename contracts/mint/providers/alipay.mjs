import { AlipaySdk } from "alipay-sdk";
import { rsaPair } from "../keys.mjs";
import { pkcs8, signRsa, spki } from "../sign.mjs";

const pairs = { a: rsaPair(3), b: rsaPair(4) };

export const secrets = {
  a: spki(pairs.a),
  b: spki(pairs.b),
};

export const privateKeys = { a: pkcs8(pairs.a) };

export const sign = ({ body, name }) => {
  const fields = new URLSearchParams(body);
  fields.delete("sign_type");
  fields.sort();
  const text = [...fields].map(([key, value]) => `${key}=${value}`).join("&");
  const signature = signRsa(pairs[name], text).toString("base64");
  return { body: `${body}&sign=${encodeURIComponent(signature)}` };
};

const app = { appId: "made-up", privateKey: "made-up" };

export const judge = ({ form, secret }) =>
  new AlipaySdk({ ...app, alipayPublicKey: secret }).checkNotifySignV2(form());
