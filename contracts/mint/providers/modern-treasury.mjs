import ModernTreasury from "modern-treasury";

export const secrets = {
  a: "fc3732e7cc1fb22b29bd332d6f1e2ea1391b4438f4c5a28796c230e875c4c3fe",
  b: "8225a3f0ad19cc76005653568df707bf5f728386859f317cffc49bca11a17096",
};

const { webhooks } = new ModernTreasury({ apiKey: "made-up", organizationID: "made-up" });

export const sign = ({ body, secret }) => ({
  headers: { "X-Signature": webhooks.getSignature(body, { key: secret }) },
});

export const judge = ({ body, headers, secret }) =>
  webhooks.validateSignature(body, headers, { key: secret });
