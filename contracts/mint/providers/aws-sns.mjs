import { certificateOf, rsaPair } from "../keys.mjs";
import { sdkWithKey } from "../sdk.mjs";
import { pairsOf, signRsa } from "../sign.mjs";

const certificate = (pair) => certificateOf(pair, "sns.amazonaws.example");
export const { pairs, publicKeys: keys, privateKeys } = pairsOf(rsaPair, [5, 6], certificate);
const NAMES = "Message MessageId Subject SubscribeURL Timestamp Token TopicArn Type".split(" ");

export const sign = ({ body: template, now }) => {
  const message = { ...JSON.parse(template), Timestamp: new Date(now).toISOString() };
  const signed = NAMES.filter((one) => one in message).map((one) => `${one}\n${message[one]}\n`);
  const signature = signRsa(pairs.a, signed.join("")).toString("base64");
  return { body: JSON.stringify({ ...message, Signature: signature }) };
};

export const judge = ({ body, key }) => {
  const validator = new (sdkWithKey("sns-validator", key))();
  return new Promise((done) => validator.validate(body, (error) => done(!error && undefined)));
};
