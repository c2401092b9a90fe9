import commerce from "coinbase-commerce-node";

export const secrets = {
  a: "d6190f177d5048e194cc2dd810e87-d0f36c",
  b: "a0570c20d0eb096b4-6393534acd709497d2",
};

export const sign = ({ body, secret }) => ({
  headers: { "X-CC-Webhook-Signature": commerce.Webhook.computeSignature(body, secret) },
});

export const judge = ({ body, header, secret }) =>
  commerce.Webhook.verifyEventBody(body, header("X-CC-Webhook-Signature"), secret);
