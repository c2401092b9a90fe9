import { shopifyOf } from "../sdk.mjs";
import { hmac } from "../sign.mjs";

export const secrets = {
  a: "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",
  b: "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",
};

export const sign = ({ body, secret, headers }) => {
  const name = "shopify-topic" in headers ? "shopify-hmac-sha256" : "X-Shopify-Hmac-Sha256";
  return { headers: { [name]: hmac(secret, body, "base64") } };
};

export const judge = async ({ body, headers, secret, url, method }) => {
  const { webhooks } = await shopifyOf(secret);
  const rawRequest = { headers, method, url };
  const { valid, eventId } = await webhooks.validate({ rawBody: body, rawRequest });
  return valid && { id: eventId };
};
