import { validateWebhook } from "replicate";
import { standard } from "../sign.mjs";

export const secrets = {
  a: "whsec_wLixLbCMkAYu1vZ/GymAYdBL9VlE80sS",
  b: "whsec_cwCdBaj4evE9l65vl/YfReIRlovYbJ/t",
};

export const sign = standard();

export const judge = async ({ body, headers, secret }) =>
  (await validateWebhook({ headers, body }, secret)) && undefined;
