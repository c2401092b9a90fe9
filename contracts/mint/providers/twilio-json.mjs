import twilio from "twilio";

export const secrets = {
  a: "12345678901234567890123456789012",
  b: "0badc0de0badc0de0badc0de0badc0de",
};
export const url = "https://app.example/webhooks/twilio-events";

export const sign = ({ body, secret, url: configured }) => {
  const signed = `${configured}?bodySHA256=${twilio.getExpectedBodyHash(body)}`;
  const signature = twilio.getExpectedTwilioSignature(secret, signed, {});
  return { headers: { "X-Twilio-Signature": signature }, url: signed };
};

export const judge = ({ body, header, secret, url: signed }) =>
  twilio.validateRequestWithBody(secret, header("X-Twilio-Signature"), signed, body);
