import Anthropic from "@anthropic-ai/sdk";
import { standard } from "../sign.mjs";

export const secrets = {
  a: "whsec_UWzV6MQmNwNJC0DRuj2UuTiPlwz9bL0n",
  b: "whsec_M5zHC1P7UKC7jgSTy3b1tBaAuj98d5Ap",
};

export const sign = standard();

const anthropic = new Anthropic({ apiKey: "sk-ant-made-up" });

export const judge = ({ body, headers, secret }) => {
  anthropic.beta.webhooks.unwrap(body, { headers, key: secret });
};
