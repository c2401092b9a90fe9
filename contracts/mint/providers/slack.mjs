import { createHmac } from "node:crypto";
import bolt from "@slack/bolt";

export const secrets = {
  a: "8f742231b10e8888abcd99yyyzzz85a5",
  b: "f1e2d3c4b5a6f7e8d9c0b1a2f3e4d5c6",
};

export const sign = ({ body, secret, seconds }) => {
  const hash = createHmac("sha256", secret).update(`v0:${seconds}:${body}`).digest("hex");
  return {
    headers: { "X-Slack-Request-Timestamp": String(seconds), "X-Slack-Signature": `v0=${hash}` },
  };
};

export const judge = ({ body, headers, secret, now }) =>
  bolt.verifySlackRequest({ body, headers, signingSecret: secret, nowMilliseconds: now });
