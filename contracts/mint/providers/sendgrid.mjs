import { EventWebhook } from "@sendgrid/eventwebhook";
import { p256Pair, signP256 } from "../keys.mjs";
import { headersOf, pairsOf } from "../sign.mjs";

export const { pairs, publicKeys: secrets, privateKeys } = pairsOf(p256Pair, [13, 14]);

const PREFIX = "X-Twilio-Email-Event-Webhook-";

export const sign = ({ body, name, seconds }) => {
  const signature = signP256(pairs[name], seconds + body).toString("base64");
  return headersOf(PREFIX, { Signature: signature, Timestamp: seconds });
};

export const judge = ({ bytes, values, secret }) => {
  const webhook = new EventWebhook();
  const key = webhook.convertPublicKeyToECDSA(secret);
  return webhook.verifySignature(key, bytes, ...values(PREFIX, "Signature", "Timestamp"));
};
