import { sign as signEd25519 } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { ed25519Pair } from "../keys.mjs";

const pair = ed25519Pair(7);
export const secrets = {
  a: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  b: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
  public: `whpk_${pair.raw.toString("base64")}`,
};

const v1a = (text) => signEd25519(null, Buffer.from(text), pair.privateKey).toString("base64");

export const sign = ({ body, id, name, secret, seconds }) => ({
  headers: {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature":
      name === "public"
        ? `v1a,${v1a(`${id}.${seconds}.${body}`)}`
        : new Webhook(secret).sign(id, new Date(seconds * 1000), body),
  },
});

export const judge = ({ body, headers, secret }) => new Webhook(secret).verify(body, headers);
