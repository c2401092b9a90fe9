import type { FaultTable } from "../matrix.ts";
import { always, type Change, verifying, secrets } from "./conduct.ts";
import { refusal, valuesOf } from "./http.ts";
import { honestVerifying, verify } from "./verify.ts";
import { fitsSchema } from "./read-event.ts";

const { signedText, keys, candidates } = honestVerifying;

/** Mistakes in verifying bytes, times, keys and signatures. */
export const signatureFaults: FaultTable<Change> = {
  "R-VERIFY-RAW: verifies the parsed body, serialized again": verifying({
    signedText(parts) {
      try {
        const printed = JSON.stringify(JSON.parse(parts.body.toString()));
        return signedText({ ...parts, body: Buffer.from(printed) });
      } catch {
        return signedText(parts);
      }
    },
  }),
  "R-VERIFY-UNSIGNED: accepts an attempt without a signature header": always({
    judgeSignature: (arrived, steps) =>
      valuesOf(arrived, "webhook-signature").length === 0
        ? undefined
        : verify(arrived, { secrets, steps }),
  }),
  "R-VERIFY-TAMPERED: ends the body at its first zero byte": always({
    bodyOf: ({ body }) => (body.includes(0) ? body.subarray(0, body.indexOf(0)) : body),
  }),
  "R-VERIFY-WRONG-KEY: accepts an empty key": verifying({
    keys: (known) => [...keys(known), Buffer.alloc(0)],
  }),
  "R-VERIFY-MAC: accepts an older signature over only the body": always({
    judgeSignature(arrived, steps) {
      const older = { ...steps, signedText: ({ body }: { readonly body: Buffer }) => body };
      return verify(arrived, { secrets, steps }) && verify(arrived, { secrets, steps: older });
    },
  }),
  "R-VERIFY-BYPASS: skips the verification of attempts marked as tests": always({
    judgeSignature: (arrived, steps) =>
      valuesOf(arrived, "x-webhook-test").length > 0
        ? undefined
        : verify(arrived, { secrets, steps }),
    judgeEvent: (event) => (fitsSchema(event) ? undefined : refusal(422, "schema")),
  }),
  "R-REFUSE-STATUS: answers a forged attempt with 410": always({
    unbelieved: () => refusal(410, "signature"),
  }),
  "R-VERIFY-OWN-KEYS: accepts a key that the attempt contains": always({
    judgeSignature(arrived, steps) {
      const brought = valuesOf(arrived, "webhook-secret").map((text) => Buffer.from(text));
      const more = { ...steps, keys: () => [...keys(secrets), ...brought] };
      return verify(arrived, { secrets, steps: more });
    },
  }),
  "R-VERIFY-STALE: accepts timestamps of the past": verifying({
    isTimely: ({ sent, now }) => sent - now <= 300,
  }),
  "R-VERIFY-AHEAD: accepts timestamps of the future": verifying({
    isTimely: ({ sent, now }) => now - sent <= 300,
  }),
  "R-VERIFY-CANONICAL: accepts a signature in non-canonical base64": verifying({
    isSame: (digest, given) => Buffer.from(given, "base64").equals(digest),
  }),
  "R-VERIFY-ROTATION: tries only its first secret": verifying({
    keys: (known) => keys(known.slice(0, 1)),
  }),
  "R-VERIFY-EACH: tries only the first signature": verifying({
    candidates: (list) => candidates(list).slice(0, 1),
  }),
  "R-VERIFY-VERSION: accepts signatures of unknown versions": verifying({
    candidates: (list) => list.split(" ").map((token) => token.slice(token.indexOf(",") + 1)),
  }),
  "R-VERIFY-WHOLE: compares only as much of the signature as was sent": verifying({
    isSame: (digest, given) => digest.toString("base64").startsWith(given),
  }),
  "R-HEADER-ONCE: uses the first of repeated headers": verifying({
    header: (arrived, name) => valuesOf(arrived, name)[0],
  }),
  "R-VERIFY-ALIKE: reveals by its status that an attempt is late": always({
    unbelieved: (reason) => refusal(reason === "time" ? 400 : 401, "signature"),
  }),
  "R-LEAK-STACK: answers a forged attempt with a stack": always({
    unbelieved: () => ({
      ...refusal(401, "signature"),
      body: new Error("the signature is not genuine").stack ?? "",
    }),
  }),
  "R-LEAK-DETAILS: answers a failure with its message": always({
    failed: (error) => ({
      ...refusal(503, "failed", { "retry-after": "1" }),
      body: String(error),
    }),
  }),
  "R-LEAK-NOTHING: answers a refusal with its secret": always({
    unbelieved: () => ({ ...refusal(401, "signature"), body: `no signature of ${secrets[0]}` }),
  }),
};
