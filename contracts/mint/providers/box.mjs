import { WebhooksManager } from "box-node-sdk/managers";
import { hmac } from "../sign.mjs";

export const secrets = {
  a: "YvV13EyNif8BCaLnowOdEOvMFK17jcfi",
  b: "36vqEOZAW2zb1kOQe1TfgBBeyT4DXWjC",
};

export const sign = ({ body, secret, seconds }) => {
  const time = new Date((seconds - 7 * 3600) * 1000).toISOString().replace(".000Z", "-07:00");
  return {
    headers: {
      "BOX-DELIVERY-TIMESTAMP": time,
      "BOX-SIGNATURE-PRIMARY": hmac(secret, body + time, "base64"),
    },
  };
};

export const judge = ({ body, headers, secret }) =>
  WebhooksManager.validateMessage(body, headers, secret, { secondaryKey: secret });
