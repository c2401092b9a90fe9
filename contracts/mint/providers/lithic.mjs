import Lithic from "lithic";
import { standard } from "../sign.mjs";

export const secrets = {
  a: "whsec_+taC8bNghyacHNPGjHw+WZ1Uu8o/dKLG",
  b: "whsec_EyDytbyekpOji93SpEz0xk4VVCTSxcgq",
};

export const sign = standard();

const lithic = new Lithic({ apiKey: "made-up" });

export const judge = ({ body, headers, secret }) => lithic.webhooks.unwrap(body, headers, secret);
