import { AwsLambdaReceiver } from "@zoom/rivet/meetings";
import { headersOf, signV0 } from "../sign.mjs";

export const secrets = {
  a: "thg7RnGf1khvfbk6uHP9cr",
  b: "znsIs_KNEvqWjSRiiLW8fj",
};

export const sign = (message) =>
  headersOf("x-zm-", { signature: signV0(message), "request-timestamp": message.seconds });

export const judge = async ({ body, headers, secret }) => {
  const receiver = new AwsLambdaReceiver({ webhooksSecretToken: secret });
  receiver.init({ eventEmitter: { emit: async () => true } });
  const { statusCode } = await receiver.start()({ body, headers, isBase64Encoded: false });
  return statusCode === 200 && undefined;
};
