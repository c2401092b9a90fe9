import { StreamChat } from "stream-chat";
import { hmac } from "../sign.mjs";

export const secrets = {
  a: "fxk8c9izt699jn7i08rtdp3yfgyawmvo4941on7ofp1hzs3gbvm8136uyn3z15ao",
  b: "5a1tkozufm0lapjmyi7ae0smsu9vghoi1r3k8hrcuwd8k71lpfgmtv73ci94uldg",
};

export const sign = ({ body, secret }) => ({
  headers: { "X-Signature": hmac(secret, body) },
});

export const judge = ({ body, header, secret }) =>
  new StreamChat("made-up", secret).verifyWebhook(body, header("X-Signature"));
