import cloudinary from "cloudinary";
import { headersOf } from "../sign.mjs";

export const secrets = {
  a: "3m_f8B_xGFd208QCZ7rzqj4GWo5",
  b: "3LLFuZzNqCmXHzCKj85ZWjx7ITS",
};

const { utils } = cloudinary.v2;

export const sign = ({ body, secret, seconds }) => {
  const signature = utils.webhook_signature(body, seconds, { api_secret: secret });
  return headersOf("X-Cld-", { Signature: signature, Timestamp: seconds });
};

export const judge = ({ body, values, secret }) => {
  cloudinary.v2.config({ api_secret: secret });
  const [time, signature] = values("X-Cld-", "Timestamp", "Signature");
  return utils.verifyNotificationSignature(body, Number(time), signature);
};
