import twilio from "twilio";

export const secrets = {
  a: "12345678901234567890123456789012",
  b: "0badc0de0badc0de0badc0de0badc0de",
};
export const url = "https://app.example/webhooks/twilio?team=7";

export const sign = ({ body, secret, url: signed }) => {
  const form = Object.fromEntries(new URLSearchParams(body));
  const signature = twilio.getExpectedTwilioSignature(secret, signed, form);
  return { headers: { "X-Twilio-Signature": signature } };
};

export const judge = ({ form, header, secret, url: configured }) =>
  twilio.validateRequest(secret, header("X-Twilio-Signature"), configured, form());
