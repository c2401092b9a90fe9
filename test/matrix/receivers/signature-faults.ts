import { createHash } from "node:crypto";
import { refusal } from "./answer.ts";
import { valuesOf } from "./arrived.ts";
import { always, type Broken, verifying } from "./broken.ts";
import { secrets } from "./conduct.ts";
import { fitsSchema } from "./fits-schema.ts";
import { honestReading } from "./read-event.ts";
import { honestVerifying, verify } from "./verify.ts";

const { signedText, keys, header, candidates, isSame } = honestVerifying;

export const signatureFaults: readonly Broken[] = [
  {
    requirement: "R-VERIFY-RAW",
    what: "verifies what it prints of the parsed body",
    also: {
      "R-BODY-DOCUMENTED":
        "Bodies of many sizes are made with spaces, which are not printed again.",
    },
    change: verifying({
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
  {
    requirement: "R-VERIFY-RAW",
    what: "verifies the text that a lenient decoder makes of the bytes",
    change: () => ({
      verifying: {
        ...honestVerifying,
        signedText: (parts) => signedText({ ...parts, body: Buffer.from(parts.body.toString()) }),
      },
      reading: { ...honestReading, decode: (bytes) => bytes.toString() },
    }),
  },
  {
    requirement: "R-VERIFY-RAW",
    what: "drops a byte order mark before it verifies",
    change: () => {
      const bare = (bytes: Buffer): Buffer =>
        bytes.subarray(0, 3).equals(Buffer.of(0xef, 0xbb, 0xbf)) ? bytes.subarray(3) : bytes;
      return { bodyOf: (arrived) => bare(arrived.body) };
    },
  },
  {
    requirement: "R-VERIFY-UNSIGNED",
    what: "believes an attempt without a signature header",
    also: { "R-VERIFY-ALIKE": "It is refused further on, for another reason." },
    change: always({
      judgeSignature: (arrived, { verifying: steps }) =>
        valuesOf(arrived, "webhook-signature").length === 0
          ? undefined
          : verify(arrived, { secrets, steps }),
    }),
  },
  {
    requirement: "R-VERIFY-UNSIGNED",
    what: "believes an attempt without a timestamp header",
    also: { "R-VERIFY-ALIKE": "It is refused further on, for another reason." },
    change: always({
      judgeSignature: (arrived, { verifying: steps }) =>
        valuesOf(arrived, "webhook-timestamp").length === 0
          ? undefined
          : verify(arrived, { secrets, steps }),
    }),
  },
  {
    requirement: "R-VERIFY-TAMPERED",
    what: "verifies nothing",
    also: {
      "R-VERIFY-WRONG-KEY": "Where nothing is compared, any key opens.",
      "R-VERIFY-OWN-KEYS": "Where nothing is compared, a key that came along opens.",
      "R-VERIFY-WHOLE": "Where nothing is compared, a part of a signature opens.",
      "R-VERIFY-CANONICAL": "Where nothing is compared, another spelling opens.",
    },
    change: verifying({ isSame: () => true }),
  },
  {
    requirement: "R-VERIFY-TAMPERED",
    what: "believes a signature that it has believed before, over whatever body",
    change: () => {
      const believed = new Set<string>();
      return {
        judgeSignature(arrived, { verifying: steps }) {
          const signature = header(arrived, "webhook-signature") ?? "";
          if (believed.has(signature)) return undefined;
          const reason = verify(arrived, { secrets, steps });
          if (reason === undefined) believed.add(signature);
          return reason;
        },
      };
    },
  },
  {
    requirement: "R-VERIFY-RAW",
    what: "trims white space off the body before it verifies",
    change: always({ bodyOf: ({ body }) => Buffer.from(body.toString("latin1").trim(), "latin1") }),
  },
  {
    requirement: "R-VERIFY-TAMPERED",
    what: "takes a body to end at its first zero byte",
    change: always({
      bodyOf: ({ body }) => (body.includes(0) ? body.subarray(0, body.indexOf(0)) : body),
    }),
  },
  {
    requirement: "R-VERIFY-TAMPERED",
    what: "verifies the id of the body in place of the header's",
    change: () => ({
      verifying: {
        ...honestVerifying,
        signedText(parts) {
          const id = /"id"\s*:\s*"([^"]*)"/.exec(parts.body.toString())?.[1] ?? parts.id;
          return honestVerifying.signedText({ ...parts, id });
        },
      },
      judgeEvent: (event) => (fitsSchema(event, { isClosed: false }) ? undefined : unfit),
    }),
  },
  {
    requirement: "R-VERIFY-TAMPERED",
    what: "takes an id with full stops, by which the signed text is split anew",
    also: { "R-EVENT-ID": "Such an id is never that of the envelope." },
    change: () => ({
      verifying: { ...honestVerifying, isId: (text) => /^[\x21-\x7e]{1,256}$/.test(text) },
      // What was split off the body into the id leaves no envelope to compare the id with.
      judgeEvent: (event) => (fitsSchema(event, { isClosed: false }) ? undefined : unfit),
      keyOf: (event, arrived) => header(arrived, "webhook-id") ?? event.id,
    }),
  },
  {
    requirement: "R-VERIFY-WRONG-KEY",
    what: "takes an empty key beside its own",
    change: verifying({ keys: (known) => [...keys(known), Buffer.alloc(0)] }),
  },
  {
    requirement: "R-VERIFY-WRONG-KEY",
    what: "takes the secret's text for a key beside its bytes",
    change: verifying({
      keys: (known) => [...keys(known), ...known.map((secret) => Buffer.from(secret))],
    }),
  },
  {
    requirement: "R-VERIFY-WRONG-KEY",
    what: "takes a digest that no key went into",
    change: always({
      judgeSignature(arrived, { verifying: steps }) {
        const [id = "", timestamp = "", list = ""] = names.map((name) => header(arrived, name));
        const text = honestVerifying.signedText({ id, timestamp, body: arrived.body });
        const bare = createHash("sha256").update(text).digest("base64");
        return list === `v1,${bare}` ? undefined : verify(arrived, { secrets, steps });
      },
    }),
  },
  {
    requirement: "R-VERIFY-OWN-KEYS",
    what: "takes a key that the attempt brings along",
    change: always({
      judgeSignature: (arrived, { verifying: steps }) =>
        verify(arrived, {
          secrets,
          steps: {
            ...steps,
            keys: (known) => [
              ...steps.keys(known),
              ...valuesOf(arrived, "webhook-secret").map((key) => Buffer.from(key)),
            ],
          },
        }),
    }),
  },
  {
    requirement: "R-VERIFY-OWN-KEYS",
    what: "takes the id of the attempt for a key beside its own",
    change: always({
      judgeSignature: (arrived, { verifying: steps }) =>
        verify(arrived, {
          secrets,
          steps: {
            ...steps,
            keys: (known) => [
              ...steps.keys(known),
              ...valuesOf(arrived, "webhook-id").map((id) => Buffer.from(id)),
            ],
          },
        }),
    }),
  },
  {
    requirement: "R-VERIFY-STALE",
    what: "looks at no timestamp",
    change: verifying({ isTimely: () => true }),
  },
  {
    requirement: "R-VERIFY-STALE",
    what: "takes timestamps of the future",
    change: verifying({ isTimely: ({ sent, now }) => now - sent <= 300 }),
  },
  {
    requirement: "R-VERIFY-STALE",
    what: "takes timestamps of the past",
    change: verifying({ isTimely: ({ sent, now }) => sent - now <= 300 }),
  },
  {
    requirement: "R-VERIFY-STALE",
    what: "takes an hour for the tolerance",
    change: verifying({ isTimely: ({ sent, now }) => Math.abs(sent - now) <= 3600 }),
  },
  {
    requirement: "R-VERIFY-STALE",
    what: "takes a minute for the tolerance",
    change: verifying({ isTimely: ({ sent, now }) => Math.abs(sent - now) <= 60 }),
  },
  {
    requirement: "R-VERIFY-STALE",
    what: "judges the age by the time in the body",
    change: always({
      judgeSignature(arrived, { verifying: steps }) {
        const reason = verify(arrived, { secrets, steps });
        if (reason !== "time") return reason;
        const time = /"timestamp"\s*:\s*"([^"]*)"/.exec(arrived.body.toString())?.[1] ?? "";
        return Math.abs(Date.parse(time) - Date.now()) <= 300_000 ? undefined : "time";
      },
    }),
  },
  {
    requirement: "R-VERIFY-TAMPERED",
    what: "reads a timestamp as far as it is a number",
    change: verifying({
      seconds(text) {
        const seconds = Number.parseFloat(text);
        return Number.isFinite(seconds) ? seconds : undefined;
      },
      signedText: ({ timestamp, ...parts }) =>
        honestVerifying.signedText({ ...parts, timestamp: String(Number.parseInt(timestamp, 10)) }),
    }),
  },
  {
    requirement: "R-VERIFY-CANONICAL",
    what: "takes whatever a language takes for a number as a timestamp",
    change: verifying({
      seconds(text) {
        const seconds = Number(text);
        return Number.isFinite(seconds) ? seconds : undefined;
      },
    }),
  },
  {
    requirement: "R-VERIFY-ROTATION",
    what: "tries its first secret alone",
    change: verifying({ keys: (known) => keys(known.slice(0, 1)) }),
  },
  {
    requirement: "R-VERIFY-EACH",
    what: "tries the first signature alone",
    change: verifying({ candidates: (list) => candidates(list).slice(0, 1) }),
  },
  {
    requirement: "R-VERIFY-EACH",
    what: "tries the last signature alone",
    change: verifying({ candidates: (list) => candidates(list).slice(-1) }),
  },
  {
    requirement: "R-VERIFY-EACH",
    what: "takes the whole header for one signature",
    also: {
      "R-VERIFY-VERSION": "A signature of an unknown version stands beside a known one.",
    },
    change: verifying({ candidates: (list) => (list.startsWith("v1,") ? [list.slice(3)] : []) }),
  },
  {
    requirement: "R-VERIFY-VERSION",
    what: "takes an unknown version for one that it knows",
    change: verifying({
      candidates: (list) => list.split(" ").map((token) => token.slice(token.indexOf(",") + 1)),
    }),
  },
  {
    requirement: "R-VERIFY-VERSION",
    what: "refuses a genuine signature beside one of an unknown version",
    change: verifying({
      candidates: (list) =>
        list.split(" ").every((token) => token.startsWith("v1,")) ? candidates(list) : [],
    }),
  },
  {
    requirement: "R-VERIFY-VERSION",
    what: "takes v1a for v1, by its first two letters",
    change: verifying({
      candidates: (list) =>
        list
          .split(" ")
          .filter((token) => token.startsWith("v1"))
          .map((token) => token.slice(token.indexOf(",") + 1)),
    }),
  },
  {
    requirement: "R-VERIFY-WHOLE",
    what: "compares as much of the signature as was sent",
    change: verifying({ isSame: (digest, given) => digest.toString("base64").startsWith(given) }),
  },
  {
    requirement: "R-VERIFY-WHOLE",
    what: "compares the first eight bytes of the signature",
    also: {
      "R-VERIFY-CANONICAL": "Other spellings differ beyond the first eight bytes.",
      "R-VERIFY-TAMPERED":
        "A signature that is changed in its middle is the same in its first bytes.",
    },
    change: verifying({
      isSame: (digest, given) =>
        given.length >= 11 && digest.toString("base64").slice(0, 11) === given.slice(0, 11),
    }),
  },
  {
    requirement: "R-VERIFY-WHOLE",
    what: "takes an empty signature",
    change: verifying({ isSame: (digest, given) => given === "" || isSame(digest, given) }),
  },
  {
    requirement: "R-VERIFY-WHOLE",
    what: "compares signatures without regard to case",
    change: verifying({
      isSame: (digest, given) => digest.toString("base64").toLowerCase() === given.toLowerCase(),
    }),
  },
  {
    requirement: "R-VERIFY-CANONICAL",
    what: "takes a signature in other base64 than its own",
    change: verifying({
      isSame: (digest, given) => Buffer.from(given, "base64").equals(digest),
    }),
  },
  {
    requirement: "R-VERIFY-ALIKE",
    what: "tells why it does not believe",
    change: always({ unbelieved: (reason) => refusal(401, reason) }),
  },
  {
    requirement: "R-VERIFY-ALIKE",
    what: "tells a late attempt by its status",
    change: always({
      unbelieved: (reason) => refusal(reason === "time" ? 400 : 401, "signature"),
    }),
  },
  {
    requirement: "R-VERIFY-ALIKE",
    what: "tells an unsigned attempt by a header",
    change: always({
      unbelieved: (reason) =>
        refusal(401, "signature", reason === "missing" ? { "www-authenticate": "Webhook" } : {}),
    }),
  },
  {
    requirement: "R-HEADER-ONCE",
    what: "takes the first of a repeated header",
    change: verifying({ header: (arrived, name) => valuesOf(arrived, name)[0] }),
  },
  {
    requirement: "R-HEADER-ONCE",
    what: "takes the last of a repeated header",
    change: verifying({ header: (arrived, name) => valuesOf(arrived, name).at(-1) }),
  },
];

const unfit = refusal(422, "schema");
const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
