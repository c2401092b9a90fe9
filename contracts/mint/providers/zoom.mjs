import { AwsLambdaReceiver } from "@zoom/rivet/meetings";
import { hmac } from "../sign.mjs";

export const secrets = {
  a: "thg7RnGf1khvfbk6uHP9cr",
  b: "znsIs_KNEvqWjSRiiLW8fj",
};

export const sign = ({ body, secret, seconds }) => ({
  headers: {
    "x-zm-signature": `v0=${hmac(secret, `v0:${seconds}:${body}`)}`,
    "x-zm-request-timestamp": String(seconds),
  },
});

export const judge = async ({ body, headers, secret }) => {
  const receiver = new AwsLambdaReceiver({ webhooksSecretToken: secret });
  receiver.init({ eventEmitter: { emit: async () => true } });
  const { statusCode } = await receiver.start()({ body, headers, isBase64Encoded: false });
  return statusCode === 200 && undefined;
};
