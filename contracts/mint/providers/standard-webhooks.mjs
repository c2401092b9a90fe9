import { Webhook } from "standardwebhooks";
import { ed25519Pair } from "../keys.mjs";
import { headersOf, signEd25519, standard } from "../sign.mjs";

const pair = ed25519Pair(7);
export const secrets = {
  a: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  b: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
  public: `whpk_${pair.raw.toString("base64")}`,
};

export const sign = (message) => {
  const { body, id, name, seconds } = message;
  if (name !== "public") return standard()(message);
  const signature = signEd25519(pair, `${id}.${seconds}.${body}`).toString("base64");
  return headersOf("webhook-", { id, timestamp: seconds, signature: `v1a,${signature}` });
};

export const judge = ({ body, headers, secret }) => new Webhook(secret).verify(body, headers);
