import cloudinary from "cloudinary";

export const secrets = {
  a: "3m_f8B_xGFd208QCZ7rzqj4GWo5",
  b: "3LLFuZzNqCmXHzCKj85ZWjx7ITS",
};

const { utils } = cloudinary.v2;

export const sign = ({ body, secret, seconds }) => ({
  headers: {
    "X-Cld-Signature": utils.webhook_signature(body, seconds, { api_secret: secret }),
    "X-Cld-Timestamp": String(seconds),
  },
});

export const judge = ({ body, header, secret }) => {
  cloudinary.v2.config({ api_secret: secret });
  const [time, signature] = [header("X-Cld-Timestamp"), header("X-Cld-Signature")];
  return utils.verifyNotificationSignature(body, Number(time), signature);
};
