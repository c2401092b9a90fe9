import { EventSubMiddleware } from "@twurple/eventsub-http";
import { hmac } from "../sign.mjs";

export const secrets = {
  a: "21a091979b6c0889d3cae7a6338379f13b55778f",
  b: "3ace5bd7c647154000696d26e4f2602b266855e5",
};

const at = (name) => `Twitch-Eventsub-Message-${name}`;

export const sign = ({ body, id, now, secret }) => {
  const time = new Date(now).toISOString().replace("Z", "123456Z");
  const signature = `sha256=${hmac(secret, id + time + body)}`;
  return { headers: { [at("Id")]: id, [at("Timestamp")]: time, [at("Signature")]: signature } };
};

// The library has no public method without a client of the API.
const verify = Reflect.get(EventSubMiddleware.prototype, "_verifyData");

export const judge = ({ body, header, secret }) => {
  const [id, time, signature] = ["Id", "Timestamp", "Signature"].map((name) => header(at(name)));
  return verify.call({ _secret: secret }, id, time, body, signature);
};
