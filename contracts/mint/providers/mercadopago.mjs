import { WebhookSignatureValidator } from "mercadopago";
import { hmac } from "../sign.mjs";

export const secrets = {
  a: "4efe18c431997db2917b11a3316d73814d6ab4a5b6dd1ad4663fc4f7f644be65",
  b: "ba968d521430c6620dea65ff2f31dfa579df699fd4b7c4a75dbc567eb7a9b6ab",
};

// The documentation has ids signed in lower case; the library leaves that to its caller.
const idOf = (url) => new URL(url).searchParams.get("data.id").toLowerCase();

export const sign = ({ headers: { "x-request-id": request }, url, secret, seconds }) => {
  const text = `id:${idOf(url)};${request ? `request-id:${request};` : ""}ts:${seconds};`;
  return { headers: { "x-signature": `ts=${seconds},v1=${hmac(secret, text)}` } };
};

export const judge = ({ values, url, secret }) => {
  const [xSignature, xRequestId] = values("x-", "signature", "request-id");
  return WebhookSignatureValidator.validate({ xSignature, xRequestId, dataId: idOf(url), secret });
};
