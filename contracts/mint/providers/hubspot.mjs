import { Signature } from "@hubspot/api-client";
import { headersOf } from "../sign.mjs";

export const secrets = {
  a: "c876ebf48658ab5d71cd3a2610-89-2f8805",
  b: "5d1ee894e45b6f26640c14f-68d-94ba58e0",
};
export const url = "https://app.example.com/webhooks/hubspot?portal=33";

export const sign = ({ secret, now, method, url: target, body }) => {
  const message = { clientSecret: secret, url: target, requestBody: body, timestamp: now };
  const signature = Signature.getSignature(method, "v3", message);
  return headersOf("X-HubSpot-", { "Request-Timestamp": now, "Signature-v3": signature });
};

export const judge = ({ values, secret, method, url: target, body }) => {
  const [signature, time] = values("X-HubSpot-", "Signature-v3", "Request-Timestamp");
  const message = { clientSecret: secret, url: target, requestBody: body, timestamp: Number(time) };
  return Signature.isValid({ ...message, method, signatureVersion: "v3", signature });
};
