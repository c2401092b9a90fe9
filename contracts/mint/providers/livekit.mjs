import { WebhookReceiver } from "livekit-server-sdk";
import { jwt, sha256 } from "../sign.mjs";

export const secrets = {
  a: "xALmrHQ1xp8KXXy2HMmfUzcHnQtiHHuOoXeeV3sVdtB",
  b: "1m4X484C8R1ksd5wLikHndbw4PmQJ9bVGZNQ3UkFMzQ",
};

export const claims = { apiKey: "APIw7hVqkT2Y3ab" };

export const sign = ({ body, secret, seconds }) => {
  const times = { nbf: seconds, exp: seconds + 300 };
  const own = { iss: claims.apiKey, ...times, sha256: sha256(body, "base64") };
  return { headers: { Authorization: jwt(secret, own) } };
};

export const judge = async ({ body, header, secret }) => {
  await new WebhookReceiver(claims.apiKey, secret).receive(body, header("Authorization"));
};
