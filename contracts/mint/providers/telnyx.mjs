import Telnyx from "telnyx";
import { ed25519PairsOf, signEd25519 } from "../sign.mjs";

const telnyx = new Telnyx({ apiKey: "made-up" });

export const { pairs, publicKeys: secrets, privateKeys } = ed25519PairsOf([15, 16], "base64");

export const sign = ({ body, name, seconds }) => {
  const signature = signEd25519(pairs[name], `${seconds}|${body}`).toString("base64");
  return {
    headers: { "telnyx-signature-ed25519": signature, "telnyx-timestamp": String(seconds) },
  };
};

export const judge = async ({ body, headers, secret }) => {
  await telnyx.webhooks.unwrap(body, { headers, key: secret });
};
