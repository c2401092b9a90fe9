import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js";
import { hmac } from "../sign.mjs";

export const secrets = {
  a: "wsec_5db2738ecdfb621a3fa5b2726e65aad07b2128ceb1f8881438ce82b64e810b99",
  b: "wsec_ac6155787f3da9e53b5bf83b2a3a0630da38e4d02462d818e55e5e65aec576d8",
};

const { webhooks } = new ElevenLabsClient({ apiKey: "made-up" });

export const sign = ({ body, secret, seconds }) => ({
  headers: { "ElevenLabs-Signature": `t=${seconds},v0=${hmac(secret, `${seconds}.${body}`)}` },
});

export const judge = ({ body, header, secret }) =>
  webhooks.constructEvent(body, header("ElevenLabs-Signature"), secret);
