import { PrivyClient } from "@privy-io/server-auth";
import { standard } from "../sign.mjs";

export const secrets = {
  a: "whsec_XZGV4attHTt1EFvv50azn1lHt6unnJax",
  b: "whsec_t0//G1PyURTNHcMzpmtrom9Tuoko7V+m",
};

export const sign = standard("svix");

export const judge = ({ body, header, secret }) => {
  const [id, timestamp, signature] = ["id", "timestamp", "signature"].map((name) =>
    header(`svix-${name}`),
  );
  const privy = new PrivyClient("made-up", "made-up");
  return privy.verifyWebhook(JSON.parse(body), { id, timestamp, signature }, secret);
};
