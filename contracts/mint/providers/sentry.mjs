import { hmac } from "../sign.mjs";

export const secrets = {
  a: "d0f2180e8106f4e20f1da4f315ad84284e57c9d04f35d53bc49ef9b82c4baa16",
  b: "4ae279ba91cb5e14fd1ef504b56b8242649f27c178ff308be10a52be7a1c3531",
};

export const sign = ({ body, secret }) => ({
  headers: { "Sentry-Hook-Signature": hmac(secret, body) },
});
