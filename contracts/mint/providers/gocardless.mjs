import { parse } from "gocardless-nodejs/webhooks";
import { hmac } from "../sign.mjs";

export const secrets = {
  a: "7sy_OHAxT1-hVPyPm21DzJX9pJUgqQIwb_d7-G8N",
  b: "jsrtJMIHKaOMQWiH9YCbxFYbFtx2AOdzKFFPkkr1",
};

export const sign = ({ body, secret }) => ({
  headers: { "Webhook-Signature": hmac(secret, body) },
});

export const judge = ({ bytes, header, secret }) => {
  parse(bytes, secret, header("Webhook-Signature"));
};
