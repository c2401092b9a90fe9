import { signatureHelper } from "@kontent-ai/webhook-helper";

export const secrets = {
  a: "jYLvPfqnkQtqSDnvqCZD9dS9X6KykE5OlvtNRLErQfs=",
  b: "5r3dyfTOKMmR9AcupsRfj95U8myhy2G9R3mHZd+w15M=",
};

export const sign = ({ body, secret }) => ({
  headers: { "X-Kontent-ai-Signature": signatureHelper.getHashFromString(body, secret) },
});

export const judge = ({ body, header, secret }) =>
  signatureHelper.isValidSignatureFromString(body, secret, header("X-Kontent-ai-Signature"));
