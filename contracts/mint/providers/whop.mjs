import { Whop } from "@whop/sdk";
import { standard } from "../sign.mjs";

export const secrets = {
  a: "ws_b5fcd6af282f7660f0e3be22a70d7776c9822a2e2e932c13375abf0038b87d39",
  b: "ws_f5d52f8872fa447bd56d5540525bf0ad0ce5c9cd4502ac83d11ee6ec0911677a",
};

export const sign = standard("webhook", { format: "raw" });

const whop = new Whop({ apiKey: "made-up" });

export const judge = ({ body, headers, secret }) =>
  whop.webhooks.unwrap(body, { headers, key: btoa(secret) });
