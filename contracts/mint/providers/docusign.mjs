import { hmac } from "../sign.mjs";

export const secrets = {
  a: "qne7gVSFrRwUnLPHGi2JwzWRNAvy8NyRFvkLsrn93nw=",
  b: "kitO3MCOH+70JtYXsS13Ej1GGgGnDtvwgN8H2tLeYPU=",
};

export const sign = ({ body, secret }) => ({
  headers: { "X-DocuSign-Signature-1": hmac(secret, body, "base64") },
});
