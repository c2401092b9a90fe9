import { AlipaySdk } from "alipay-sdk";
import { rsaPair } from "../keys.mjs";
import { pairsOf, signRsa } from "../sign.mjs";

export const { pairs, publicKeys: secrets, privateKeys } = pairsOf(rsaPair, [3, 4]);

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
