import { hmac } from "../sign.mjs";

export const secrets = {
  a: "89xAR98ILKgDO59Iw4ytmxFAvk/QLXBZdpNxAAbh",
  b: "qyyoVzZ9VQn3q/vnNpuUWI8GdUf+HYhCWVzvDBfV",
};

export const sign = ({ body, secret, now }) => {
  const time = new Date(now).toISOString().replace(".000Z", "Z");
  return {
    headers: {
      "X-Zendesk-Webhook-Signature": hmac(secret, time + body, "base64"),
      "X-Zendesk-Webhook-Signature-Timestamp": time,
    },
  };
};
