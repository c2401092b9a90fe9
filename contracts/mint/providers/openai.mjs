import OpenAI from "openai";
import { standard } from "../sign.mjs";

export const secrets = {
  a: "whsec_+tVQCF04G4RJtrrGj2HPDqK0phlUwBNc",
  b: "whsec_YISHF9qGGPD9Er2AK/sPVxOZVS/bsH88",
};

export const sign = standard();

const openai = new OpenAI({ apiKey: "sk-made-up" });

export const judge = async ({ body, headers, secret }) => {
  await openai.webhooks.unwrap(body, headers, secret);
};
