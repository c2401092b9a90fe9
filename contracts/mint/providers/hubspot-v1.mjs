import { Signature } from "@hubspot/api-client";
export { secrets } from "./hubspot.mjs";

export const sign = ({ secret, body }) => ({
  headers: {
    "X-HubSpot-Signature": Signature.getSignature("POST", "v1", {
      clientSecret: secret,
      requestBody: body,
    }),
  },
});

export const judge = ({ header, secret, body }) =>
  Signature.isValid({
    signatureVersion: "v1",
    signature: header("X-HubSpot-Signature"),
    clientSecret: secret,
    requestBody: body,
  });
