// A merchant's CommonJS: `require` of the ECMAScript modules works on every supported Node.
const { createReceiver } = require("@countersign/receiver");
const { toExpress } = require("@countersign/receiver/express");
const { signedAttempt } = require("@countersign/receiver/testing");

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const receiver = createReceiver({ secrets: [secret], fallback: () => undefined });
const event = { id: "evt_1", type: "unknown", timestamp: "2026-11-24T05:00:00.000Z", data: {} };
receiver.receive(signedAttempt({ secrets: [secret], event })).then((outcome) => {
  if (outcome.kind !== "unrouted" || typeof toExpress(receiver) !== "function")
    throw new Error(outcome.kind);
  console.log("packed packages work from CommonJS");
});
