import { Signature } from "@hubspot/api-client";

export const secrets = {
  a: "c876ebf48658ab5d71cd3a2610-89-2f8805",
  b: "5d1ee894e45b6f26640c14f-68d-94ba58e0",
};

const at = (name) => `X-HubSpot-${name}`;

export const url = "https://app.example.com/webhooks/hubspot?portal=33";

export const sign = ({ secret, now, method, url: target, body }) => {
  const message = { clientSecret: secret, url: target, requestBody: body, timestamp: now };
  const signature = Signature.getSignature(method, "v3", message);
  return { headers: { [at("Request-Timestamp")]: String(now), [at("Signature-v3")]: signature } };
};

export const judge = ({ header, secret, method, url: target, body }) => {
  const [signature, time] = [header(at("Signature-v3")), Number(header(at("Request-Timestamp")))];
  const options = { method, signatureVersion: "v3", url: target, signature, timestamp: time };
  return Signature.isValid({ ...options, clientSecret: secret, requestBody: body });
};
