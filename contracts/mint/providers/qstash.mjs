import { Receiver } from "@upstash/qstash";
import { jwt, sha256 } from "../sign.mjs";

export const secrets = {
  a: "sig_zjchimKCU10cJN2y4YuuqOcqauKM",
  b: "sig_MYApXMzdevqSHxPRGuhBmzieK7SH",
};

export const url = "https://app.example.com/webhooks/qstash";

export const sign = ({ body, secret, seconds, url: sub }) => {
  const times = { exp: seconds + 300, nbf: seconds, iat: seconds };
  const claims = { iss: "Upstash", sub, ...times, jti: "jwt_67", body: sha256(body, "base64url") };
  return { headers: { "Upstash-Signature": jwt(secret, claims) } };
};

export const judge = ({ body, header, secret, url: target }) =>
  new Receiver({ currentSigningKey: secret, nextSigningKey: secret })
    .verify({ signature: header("Upstash-Signature"), body, url: target })
    .then(() => undefined);
