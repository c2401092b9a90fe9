import { verifyKey } from "discord-interactions";
import { ed25519Pair } from "../keys.mjs";
import { signEd25519 } from "../sign.mjs";

const pairs = { a: ed25519Pair(11), b: ed25519Pair(12) };

export const secrets = {
  a: pairs.a.raw.toString("hex"),
  b: pairs.b.raw.toString("hex"),
};

export const privateKeys = { a: pairs.a.seed.toString("hex") };

export const sign = ({ body, name, seconds }) => ({
  headers: {
    "X-Signature-Ed25519": signEd25519(pairs[name], seconds + body).toString("hex"),
    "X-Signature-Timestamp": String(seconds),
  },
});

export const judge = ({ bytes, header, secret }) =>
  verifyKey(bytes, header("X-Signature-Ed25519"), header("X-Signature-Timestamp"), secret);
