import DodoPayments from "dodopayments";
import { standard } from "../sign.mjs";

export const secrets = {
  a: "whsec_hqDDhhEg4GaFfAtAx8PZmae/pEyhmVCF",
  b: "whsec_Edxm2hyNR2lZ/YAHAkBNwOBQ7cNqXQ+7",
};

export const sign = standard();

const dodo = new DodoPayments({ bearerToken: "made-up" });

export const judge = ({ body, headers, secret }) =>
  dodo.webhooks.unwrap(body, { headers, key: secret });
