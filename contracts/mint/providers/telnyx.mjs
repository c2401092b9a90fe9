import Telnyx from "telnyx";
import { ed25519Pair } from "../keys.mjs";
import { signEd25519 } from "../sign.mjs";

const pairs = { a: ed25519Pair(15), b: ed25519Pair(16) };
const telnyx = new Telnyx({ apiKey: "made-up" });

export const secrets = {
  a: pairs.a.raw.toString("base64"),
  b: pairs.b.raw.toString("base64"),
};

export const privateKeys = { a: pairs.a.seed.toString("base64") };

export const sign = ({ body, name, seconds }) => {
  const signature = signEd25519(pairs[name], `${seconds}|${body}`).toString("base64");
  return {
    headers: { "telnyx-signature-ed25519": signature, "telnyx-timestamp": String(seconds) },
  };
};

export const judge = async ({ body, headers, secret }) => {
  await telnyx.webhooks.unwrap(body, { headers, key: secret });
};
