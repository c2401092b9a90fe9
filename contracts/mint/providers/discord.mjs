import { verifyKey } from "discord-interactions";
import { ed25519PairsOf, signEd25519 } from "../sign.mjs";

export const { pairs, publicKeys: secrets, privateKeys } = ed25519PairsOf([11, 12], "hex");

export const sign = ({ body, name, seconds }) => ({
  headers: {
    "X-Signature-Ed25519": signEd25519(pairs[name], seconds + body).toString("hex"),
    "X-Signature-Timestamp": String(seconds),
  },
});

export const judge = ({ bytes, header, secret }) =>
  verifyKey(bytes, header("X-Signature-Ed25519"), header("X-Signature-Timestamp"), secret);
