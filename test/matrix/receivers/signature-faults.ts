import { valuesOf } from "./arrived.ts";
import { always, type Broken, verifying } from "./broken.ts";
import { secrets } from "./conduct.ts";
import { honestReading } from "./read-event.ts";
import { honestVerifying, verify } from "./verify.ts";

const { signedText, keys, candidates, isSame } = honestVerifying;

/** Bytes, times, and the signatures of a header. */
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
    requirement: "R-VERIFY-RAW",
    what: "trims white space off the body before it verifies",
    change: always({ bodyOf: ({ body }) => Buffer.from(body.toString("latin1").trim(), "latin1") }),
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
