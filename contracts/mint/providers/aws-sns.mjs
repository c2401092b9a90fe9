import https from "node:https";
import { createRequire } from "node:module";
import { Readable } from "node:stream";
import { certificateOf, rsaPair } from "../keys.mjs";
import { pkcs8, signRsa } from "../sign.mjs";

const [pair, other] = [rsaPair(5), rsaPair(6)];
export const keys = {
  a: certificateOf(pair, "sns.amazonaws.example"),
  b: certificateOf(other, "sns.amazonaws.example"),
};
export const privateKeys = { a: pkcs8(pair) };
const NAMES = "Message MessageId Subject SubscribeURL Timestamp Token TopicArn Type".split(" ");

export const sign = ({ body: template, now }) => {
  const message = { ...JSON.parse(template), Timestamp: new Date(now).toISOString() };
  const signed = NAMES.filter((one) => one in message).map((one) => `${one}\n${message[one]}\n`);
  const signature = signRsa(pair, signed.join("")).toString("base64");
  return { body: JSON.stringify({ ...message, Signature: signature }) };
};

const require = createRequire(import.meta.url);

export const judge = ({ body, key }) => {
  https.get = (_, found) => {
    found(Object.assign(Readable.from([key]), { statusCode: 200 }));
    return { on: () => {} };
  };
  delete require.cache[require.resolve("sns-validator")]; // It keeps certificates by their address.
  const validator = new (require("sns-validator"))();
  return new Promise((done) => validator.validate(body, (error) => done(!error && undefined)));
};
