import signature from "messagebird/lib/webhook-signature-jwt.js";
import { jwt, sha256 } from "../sign.mjs";

export const secrets = {
  a: "qJ3hNfr13SQtfz0QRdBl6dH5wvuiuJOC",
  b: "6l9VrKBI04iUEWtIV7gWKixsFWA5R0ta",
};
export const url = "https://app.example.com/webhooks/messagebird";

export const sign = ({ body, secret, seconds, url: target }) => {
  const hashes = { url_hash: sha256(target), payload_hash: sha256(body) };
  const times = { nbf: seconds, exp: seconds + 60 };
  const claims = { iss: "MessageBird", ...times, jti: "2d9c5f1c-2f0f-4d0f-9a6f", ...hashes };
  return { headers: { "MessageBird-Signature-JWT": jwt(secret, claims) } };
};

export const judge = ({ bytes, header, secret, url: target }) =>
  signature
    .verify(target, bytes, header("MessageBird-Signature-JWT"), Buffer.from(secret))
    .then(() => undefined);
