import { WebhookHandler } from "@liveblocks/node";
import { standard } from "../sign.mjs";

export const secrets = {
  a: "whsec_aMjAWzzAXmRhBc3ylD7xtwPG6ZRGQAG8",
  b: "whsec_a6+b/xGSnyJdifMjCFyCC4/2lFJYPaSN",
};

export const sign = standard();

export const judge = ({ body, headers, secret }) =>
  new WebhookHandler(secret).verifyRequest({ headers, rawBody: body });
