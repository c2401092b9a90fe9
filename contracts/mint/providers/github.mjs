import { sign as signBody, verify } from "@octokit/webhooks-methods";

export const secrets = {
  a: "It's a Secret to Everybody",
  b: "c0ffee5e-made-up-other-secret",
};

export const sign = async ({ body, secret }) => ({
  headers: { "X-Hub-Signature-256": await signBody(secret, body) },
});

export const judge = ({ body, header, secret }) =>
  verify(secret, body, header("X-Hub-Signature-256"));
