import { Resend } from "resend";
import { standard } from "../sign.mjs";

export const secrets = {
  a: "whsec_qbHCZK140TAzihOu/qej+JqMWwyLzueU",
  b: "whsec_3cK4z2JD69eUV/44MQGI4YHtIJOh1q8q",
};

export const sign = standard("svix");

const resend = new Resend("re_made_up");

export const judge = ({ body, values, secret }) => {
  const [id, timestamp, signature] = values("svix-", "id", "timestamp", "signature");
  const headers = { id, timestamp, signature };
  return resend.webhooks.verify({ payload: body, headers, webhookSecret: secret });
};
