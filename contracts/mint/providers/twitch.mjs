import { EventSubMiddleware } from "@twurple/eventsub-http";
import { headersOf, hmac } from "../sign.mjs";

export const secrets = {
  a: "21a091979b6c0889d3cae7a6338379f13b55778f",
  b: "3ace5bd7c647154000696d26e4f2602b266855e5",
};

export const sign = ({ body, id, now, secret }) => {
  const time = new Date(now).toISOString().replace("Z", "123456Z");
  const signature = `sha256=${hmac(secret, id + time + body)}`;
  return headersOf("Twitch-Eventsub-Message-", { Id: id, Timestamp: time, Signature: signature });
};

export const judge = ({ body, values, secret }) => {
  // The public methods need a client of the API.
  const { _verifyData: verify } = EventSubMiddleware.prototype;
  const [id, time, signature] = values("Twitch-Eventsub-Message-", "Id", "Timestamp", "Signature");
  return verify.call({ _secret: secret }, id, time, body, signature);
};
