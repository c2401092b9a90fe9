import { EventWebhook } from "@sendgrid/eventwebhook";
import { p256Pair, signP256 } from "../keys.mjs";
import { pkcs8, spki } from "../sign.mjs";

const pairs = { a: p256Pair(13), b: p256Pair(14) };

export const secrets = {
  a: spki(pairs.a),
  b: spki(pairs.b),
};

const at = (name) => `X-Twilio-Email-Event-Webhook-${name}`;

export const privateKeys = { a: pkcs8(pairs.a) };

export const sign = ({ body, name, seconds }) => ({
  headers: {
    [at("Signature")]: signP256(pairs[name], seconds + body).toString("base64"),
    [at("Timestamp")]: String(seconds),
  },
});

export const judge = ({ bytes, header, secret }) => {
  const webhook = new EventWebhook();
  const key = webhook.convertPublicKeyToECDSA(secret);
  return webhook.verifySignature(key, bytes, header(at("Signature")), header(at("Timestamp")));
};
