import { verifyWebhook } from "@clerk/backend/webhooks";
import { standard } from "../sign.mjs";

export const secrets = {
  a: "whsec_U5TQ5XDtMr2kxp6ZPb98eASHHoagoNLg",
  b: "whsec_Fhp0rYxZj0QOrCzGhmwsSVOz/ouh2C2D",
};

export const sign = standard("svix");

export const judge = ({ body, headers, secret }) =>
  verifyWebhook(new Request("https://app.example.com/", { method: "POST", headers, body }), {
    signingSecret: secret,
  });
