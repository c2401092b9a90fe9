import Pusher from "pusher";
import { hmac } from "../sign.mjs";

export const secrets = {
  a: "5c9cc32ec4df55e2b502",
  b: "e6c5bf6abb4e5a4bdf20",
};

export const sign = ({ body, secret }) => ({
  headers: { "X-Pusher-Signature": hmac(secret, body) },
});

export const judge = ({ body, headers, secret }) =>
  new Pusher({ appId: "1", key: headers["x-pusher-key"], secret, cluster: "eu" })
    .webhook({ headers, rawBody: body })
    .isValid();
