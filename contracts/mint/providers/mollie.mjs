import { hmac } from "../sign.mjs";

export const secrets = {
  a: "UQ5rLVhMKnm2xB3WgJ8tSd4pYcF7eA6z",
  b: "zA6Fe7cYp4dSt8JgW3Bx2mnKMhVLr5QU",
};

export const sign = ({ body, secret }) => ({
  headers: { "X-Mollie-Signature": `sha256=${hmac(secret, body)}` },
});
