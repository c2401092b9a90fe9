import { WorkOS } from "@workos-inc/node";

export const secrets = {
  a: "aJGELcsjZLYnFHmPCr0hGpdb8",
  b: "9PlmjF7kj6SVo33ViRj2xKJqE",
};

const { webhooks } = new WorkOS("sk_test_made_up");

export const sign = async ({ body, now, secret }) => ({
  headers: {
    "WorkOS-Signature": `t=${now}, v1=${await webhooks.computeSignature(now, body, secret)}`,
  },
});

export const judge = ({ body, header, secret }) =>
  webhooks.verifyHeader({ payload: body, sigHeader: header("WorkOS-Signature"), secret });
