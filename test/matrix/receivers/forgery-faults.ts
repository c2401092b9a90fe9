import { createHash } from "node:crypto";
import { refusal } from "./answer.ts";
import { valuesOf } from "./arrived.ts";
import { always, type Broken, verifying } from "./broken.ts";
import { secrets } from "./conduct.ts";
import { fitsSchema } from "./fits-schema.ts";
import { honestVerifying, verify } from "./verify.ts";

const { keys, header } = honestVerifying;
const unfit = refusal(422, "schema");
const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];

/** An attempt without this header is believed. */
const passingWithout = (name: string): Broken["change"] =>
  always({
    judgeSignature: (arrived, { verifying: steps }) =>
      valuesOf(arrived, name).length === 0 ? undefined : verify(arrived, { secrets, steps }),
  });

/** The text of this header is a key beside its own. */
const believing = (name: string): Broken["change"] =>
  always({
    judgeSignature: (arrived, { verifying: steps }) =>
      verify(arrived, {
        secrets,
        steps: {
          ...steps,
          keys: (known) => [
            ...steps.keys(known),
            ...valuesOf(arrived, name).map((text) => Buffer.from(text)),
          ],
        },
      }),
  });

/** What a stranger gets past the signature. */
export const forgeryFaults: readonly Broken[] = [
  {
    requirement: "R-VERIFY-UNSIGNED",
    what: "believes an attempt without a signature header",
    also: { "R-VERIFY-ALIKE": "It is refused further on, for another reason." },
    change: passingWithout("webhook-signature"),
  },
  {
    requirement: "R-VERIFY-UNSIGNED",
    what: "believes an attempt without a timestamp header",
    also: { "R-VERIFY-ALIKE": "It is refused further on, for another reason." },
    change: passingWithout("webhook-timestamp"),
  },
  {
    requirement: "R-VERIFY-TAMPERED",
    what: "verifies nothing",
    also: {
      "R-VERIFY-WRONG-KEY": "Where nothing is compared, any key opens.",
      "R-VERIFY-OWN-KEYS": "Where nothing is compared, a key that came along opens.",
      "R-VERIFY-WHOLE": "Where nothing is compared, a part of a signature opens.",
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
    requirement: "R-VERIFY-TAMPERED",
    what: "takes a body to end at its first zero byte",
    change: always({
      bodyOf: ({ body }) => (body.includes(0) ? body.subarray(0, body.indexOf(0)) : body),
    }),
  },
  {
    requirement: "R-VERIFY-TAMPERED",
    what: "believes a signature that it has believed before, by the first four kilobytes",
    change: () => {
      const believed = new Set<string>();
      return {
        judgeSignature(arrived, { verifying: steps }) {
          const beginning = arrived.body.subarray(0, 4096).toString("latin1");
          const mark = `${header(arrived, "webhook-signature") ?? ""} ${beginning}`;
          if (believed.has(mark)) return undefined;
          const reason = verify(arrived, { secrets, steps });
          if (reason === undefined) believed.add(mark);
          return reason;
        },
      };
    },
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
    change: believing("webhook-secret"),
  },
  {
    requirement: "R-VERIFY-OWN-KEYS",
    what: "takes the id of the attempt for a key beside its own",
    change: believing("webhook-id"),
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
];
