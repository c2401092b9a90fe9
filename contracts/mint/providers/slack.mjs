import bolt from "@slack/bolt";
import { headersOf, signV0 } from "../sign.mjs";

export const secrets = {
  a: "8f742231b10e8888abcd99yyyzzz85a5",
  b: "f1e2d3c4b5a6f7e8d9c0b1a2f3e4d5c6",
};

export const sign = (message) =>
  headersOf("X-Slack-", { "Request-Timestamp": message.seconds, Signature: signV0(message) });

export const judge = ({ body, headers, secret, now }) =>
  bolt.verifySlackRequest({ body, headers, signingSecret: secret, nowMilliseconds: now });
