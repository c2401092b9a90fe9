import { signWebhookPayload, verifyWebhookSignature } from "@notionhq/client";

export const secrets = {
  a: "secret_rW8RyteXKnOfREhnBMcQ8lZ42Huv7sigFRk6zsQcAWV",
  b: "secret_wxUGe1ecy10nJKOK8vJFGTZxOZ3ImElLHJDZ11Cjmad",
};

export const sign = async ({ body, secret }) => ({
  headers: {
    "X-Notion-Signature": await signWebhookPayload({ body, verificationToken: secret }),
  },
});

export const judge = ({ body, header, secret }) =>
  verifyWebhookSignature({
    body,
    signature: header("X-Notion-Signature"),
    verificationToken: secret,
  });
