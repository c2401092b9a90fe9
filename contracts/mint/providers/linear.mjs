import { LinearWebhookClient } from "@linear/sdk/webhooks";
import { hmac } from "../sign.mjs";

export const secrets = {
  a: "lin_wh_PdqVUCsjfnS3rsRoeljqETIdfQePGpWcKlb2AVgt",
  b: "lin_wh_NiQuQLwFh1TmCJ53E5D8i8xRKAHEmsRMCxtbEP1f",
};

export const sign = ({ body: template, now, secret }) => {
  const body = template.replace(/(?<="webhookTimestamp":)\d+/, String(now));
  return { body, headers: { "Linear-Signature": hmac(secret, body) } };
};

export const judge = ({ bytes, header, secret }) =>
  new LinearWebhookClient(secret).verify(bytes, header("Linear-Signature"));
