import { createHash } from "node:crypto";
import type { FaultTable } from "../fault.ts";
import { always, believing, type Change, judging, verifying } from "./changes.ts";
import { honest, secrets } from "./conduct.ts";
import { fitsSchema } from "./fits-schema.ts";
import { refusal, valuesOf } from "./http.ts";
import { honestReading } from "./read-event.ts";
import { honestVerifying, verify } from "./verify.ts";

const { signedText, keys, candidates, isSame, header } = honestVerifying;
const valueOf = (token: string): string => token.slice(token.indexOf(",") + 1);

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
    "verifies the body as a lenient decoder reads it": () => ({
      verifying: {
        ...honestVerifying,
        signedText: (parts) => signedText({ ...parts, body: Buffer.from(parts.body.toString()) }),
      },
      reading: { ...honestReading, decode: (bytes) => bytes.toString() },
    }),
    "trims white space off the body before verifying": always({
      bodyOf: ({ body }) => Buffer.from(body.toString("latin1").trim(), "latin1"),
    }),
  },
  "R-VERIFY-UNSIGNED": {
    "accepts an attempt without a signature header": judging((arrived, steps) =>
      valuesOf(arrived, "webhook-signature").length === 0
        ? undefined
        : verify(arrived, { secrets, steps }),
    ),
  },
  "R-VERIFY-TAMPERED": {
    "verifies nothing": verifying({ isSame: () => true }),
    "caches verified signatures by the body's first four kilobytes": () => {
      const believed = new Set<string>();
      return judging((arrived, steps) => {
        const beginning = arrived.body.subarray(0, 4096).toString("latin1");
        const mark = `${header(arrived, "webhook-signature") ?? ""} ${beginning}`;
        if (believed.has(mark)) return undefined;
        const reason = verify(arrived, { secrets, steps });
        if (reason === undefined) believed.add(mark);
        return reason;
      })();
    },
    "ends the body at its first zero byte": always({
      bodyOf: ({ body }) => (body.includes(0) ? body.subarray(0, body.indexOf(0)) : body),
    }),
    "verifies the body's id instead of the header's": () => ({
      verifying: {
        ...honestVerifying,
        signedText(parts) {
          const id = /"id"\s*:\s*"([^"]*)"/.exec(parts.body.toString())?.[1] ?? parts.id;
          return signedText({ ...parts, id });
        },
      },
      judgeEvent: (event) => (fitsSchema(event) ? undefined : refusal(422, "schema")),
    }),
    "accepts full stops in an id, so that signed text can be split elsewhere": () => ({
      verifying: { ...honestVerifying, isId: (text) => /^[\x21-\x7e]{1,256}$/.test(text) },
      // What was split off the body into the id leaves no envelope to compare the id with.
      judgeEvent: (event) => (fitsSchema(event) ? undefined : refusal(422, "schema")),
      keyOf: (event, arrived) => header(arrived, "webhook-id") ?? event.id,
    }),
    "reads a timestamp up to its first letter": verifying({
      seconds(text) {
        const seconds = Number.parseFloat(text);
        return Number.isFinite(seconds) ? seconds : undefined;
      },
      signedText: ({ timestamp, ...parts }) =>
        signedText({ ...parts, timestamp: String(Number.parseInt(timestamp, 10)) }),
    }),
  },
  "R-VERIFY-WRONG-KEY": {
    "accepts an empty key": verifying({ keys: (known) => [...keys(known), Buffer.alloc(0)] }),
    "accepts the secret's text as a key": verifying({
      keys: (known) => [...keys(known), ...known.map((secret) => Buffer.from(secret))],
    }),
    "accepts a digest made without a key": judging((arrived, steps) => {
      const [id = "", timestamp = "", list = ""] = [
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
      ].map((name) => header(arrived, name));
      const text = signedText({ id, timestamp, body: arrived.body });
      const bare = createHash("sha256").update(text).digest("base64");
      return list === `v1,${bare}` ? undefined : verify(arrived, { secrets, steps });
    }),
  },
  "R-VERIFY-OWN-KEYS": {
    "accepts a key that the attempt brings along": believing("webhook-secret"),
    "accepts the attempt's id as a key": believing("webhook-id"),
  },
  "R-VERIFY-STALE": {
    "accepts timestamps of the future": verifying({
      isTimely: ({ sent, now }) => now - sent <= 300,
    }),
    "accepts timestamps of the past": verifying({ isTimely: ({ sent, now }) => sent - now <= 300 }),
    "tolerates a minute": verifying({ isTimely: ({ sent, now }) => Math.abs(sent - now) <= 60 }),
    "judges the age by the time in the body": judging((arrived, steps) => {
      const reason = verify(arrived, { secrets, steps });
      if (reason !== "time") return reason;
      const time = /"timestamp"\s*:\s*"([^"]*)"/.exec(arrived.body.toString())?.[1] ?? "";
      return Math.abs(Date.parse(time) - Date.now()) <= 300_000 ? undefined : "time";
    }),
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
    "tries only the last signature": verifying({
      candidates: (list) => candidates(list).slice(-1),
    }),
  },
  "R-VERIFY-VERSION": {
    "accepts signatures of unknown versions": verifying({
      candidates: (list) => list.split(" ").map(valueOf),
    }),
    "accepts v1a as v1, by its first two letters": verifying({
      candidates: (list) =>
        list
          .split(" ")
          .filter((token) => token.startsWith("v1"))
          .map(valueOf),
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
    "compares only the first eight bytes of the signature": verifying({
      isSame: (digest, given) =>
        given.length >= 11 && digest.toString("base64").slice(0, 11) === given.slice(0, 11),
    }),
    "accepts an empty signature": verifying({
      isSame: (digest, given) => given === "" || isSame(digest, given),
    }),
    "compares signatures without regard to case": verifying({
      isSame: (digest, given) => digest.toString("base64").toLowerCase() === given.toLowerCase(),
    }),
  },
  "R-HEADER-ONCE": {
    "takes the first of a repeated header": verifying({
      header: (arrived, name) => valuesOf(arrived, name)[0],
    }),
    "takes the last of a repeated header": verifying({
      header: (arrived, name) => valuesOf(arrived, name).at(-1),
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
    "answers a failure with its stack": always({
      failed: (error) => ({
        ...honest.failed(error),
        body: error instanceof Error ? (error.stack ?? "") : "",
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
