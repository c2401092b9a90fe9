import type { FaultTable } from "../fault.ts";
import { always, type Change, verifying } from "./changes.ts";
import { honest, secrets } from "./conduct.ts";
import { fitsSchema } from "./fits-schema.ts";
import { refusal, valuesOf } from "./http.ts";
import { honestVerifying, verify } from "./verify.ts";

const { signedText, keys, candidates, header } = honestVerifying;

/** Mistakes in verifying bytes, times, keys and signatures. */
export const signatureFaults: FaultTable<Change> = {
  "R-VERIFY-RAW": {
    "verifies the parsed body, serialized again": verifying({
      signedText(parts) {
        try {
          const printed = JSON.stringify(JSON.parse(parts.body.toString()));
          return signedText({ ...parts, body: Buffer.from(printed) });
        } catch {
          return signedText(parts);
        }
      },
    }),
  },
  "R-VERIFY-UNSIGNED": {
    "accepts an attempt without a signature header": always({
      judgeSignature: (arrived, steps) =>
        valuesOf(arrived, "webhook-signature").length === 0
          ? undefined
          : verify(arrived, { secrets, steps }),
    }),
  },
  "R-VERIFY-TAMPERED": {
    "verifies nothing": verifying({ isSame: () => true }),
    "caches verified signatures by the body's first four kilobytes": () => {
      const believed = new Set<string>();
      return {
        judgeSignature(arrived, steps) {
          const beginning = arrived.body.subarray(0, 4096).toString("latin1");
          const mark = `${header(arrived, "webhook-signature") ?? ""} ${beginning}`;
          if (believed.has(mark)) return undefined;
          const reason = verify(arrived, { secrets, steps });
          if (reason === undefined) believed.add(mark);
          return reason;
        },
      };
    },
    "ends the body at its first zero byte": always({
      bodyOf: ({ body }) => (body.includes(0) ? body.subarray(0, body.indexOf(0)) : body),
    }),
    "accepts full stops in an id, so that signed text can be split elsewhere": always({
      verifying: { ...honestVerifying, isId: (text) => /^[\x21-\x7e]{1,256}$/.test(text) },
      // What was split off the body into the id leaves no envelope to compare the id with.
      judgeEvent: (event) => (fitsSchema(event) ? undefined : refusal(422, "schema")),
      keyOf: (event, arrived) => header(arrived, "webhook-id") ?? event.id,
    }),
  },
  "R-VERIFY-WRONG-KEY": {
    "accepts an empty key": verifying({ keys: (known) => [...keys(known), Buffer.alloc(0)] }),
    "accepts the secret's text as a key": verifying({
      keys: (known) => [...keys(known), ...known.map((secret) => Buffer.from(secret))],
    }),
  },
  "R-VERIFY-OWN-KEYS": {
    "accepts a key that the attempt brings along": always({
      judgeSignature(arrived, steps) {
        const brought = valuesOf(arrived, "webhook-secret").map((text) => Buffer.from(text));
        const more = { ...steps, keys: () => [...keys(secrets), ...brought] };
        return verify(arrived, { secrets, steps: more });
      },
    }),
  },
  "R-VERIFY-STALE": {
    "accepts timestamps of the future": verifying({
      isTimely: ({ sent, now }) => now - sent <= 300,
    }),
    "accepts timestamps of the past": verifying({ isTimely: ({ sent, now }) => sent - now <= 300 }),
    "tolerates a minute": verifying({ isTimely: ({ sent, now }) => Math.abs(sent - now) <= 60 }),
  },
  "R-VERIFY-CANONICAL": {
    "accepts any number of the language as a timestamp": verifying({
      seconds: (text) => (Number.isFinite(Number(text)) ? Number(text) : undefined),
    }),
    "accepts a signature in non-canonical base64": verifying({
      isSame: (digest, given) => Buffer.from(given, "base64").equals(digest),
    }),
  },
  "R-VERIFY-ROTATION": {
    "tries only its first secret": verifying({ keys: (known) => keys(known.slice(0, 1)) }),
  },
  "R-VERIFY-EACH": {
    "tries only the first signature": verifying({
      candidates: (list) => candidates(list).slice(0, 1),
    }),
  },
  "R-VERIFY-VERSION": {
    "accepts signatures of unknown versions": verifying({
      candidates: (list) => list.split(" ").map((token) => token.slice(token.indexOf(",") + 1)),
    }),
    "refuses a genuine signature next to one of an unknown version": verifying({
      candidates: (list) =>
        list.split(" ").every((token) => token.startsWith("v1,")) ? candidates(list) : [],
    }),
  },
  "R-VERIFY-WHOLE": {
    "compares only as much of the signature as was sent": verifying({
      isSame: (digest, given) => digest.toString("base64").startsWith(given),
    }),
    "compares signatures without regard to case": verifying({
      isSame: (digest, given) => digest.toString("base64").toLowerCase() === given.toLowerCase(),
    }),
  },
  "R-HEADER-ONCE": {
    "takes the first of a repeated header": verifying({
      header: (arrived, name) => valuesOf(arrived, name)[0],
    }),
  },
  "R-VERIFY-ALIKE": {
    "tells why it refuses in the body": always({ unbelieved: (reason) => refusal(401, reason) }),
    "tells a late attempt by its status": always({
      unbelieved: (reason) => refusal(reason === "time" ? 400 : 401, "signature"),
    }),
    "tells an unsigned attempt by a header": always({
      unbelieved: (reason) =>
        refusal(401, "signature", reason === "missing" ? { "www-authenticate": "Webhook" } : {}),
    }),
  },
  "R-LEAK-NOTHING": {
    "answers a failure with its message": always({
      failed: (error) => ({
        ...honest.failed(error),
        body: error instanceof Error ? error.message : "",
      }),
    }),
    "answers a refusal with its secret": always({
      unbelieved: () => ({ ...refusal(401, "signature"), body: `no signature of ${secrets[0]}` }),
    }),
    "answers an unreadable body with that body": always({
      unreadable: (body) => ({ ...refusal(400, "body"), body: body.toString("latin1") }),
    }),
  },
};
