import { hmac } from "../sign.mjs";

export const secrets = {
  a: "TRdNQCyN1BwI8qCHmTGRz7CpaOD2Zjku",
  b: "XMN2HCksKKX9jqrGfsplcVmD3cv1tLs8",
};

export const sign = ({ body, secret }) => ({
  headers: { "Typeform-Signature": `sha256=${hmac(secret, body, "base64")}` },
});
