import { crc32 } from "node:zlib";
import type { Attempt } from "../harness/attempt-maker.ts";
import { codings, without } from "../harness/message.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import { alikeTexts, changedBodies, misreadBodies, withBytes } from "./forged-bodies.ts";
import { type Base, op, type Operation } from "./forged-operation.ts";

const UNSIGNED = "R-VERIFY-UNSIGNED";
const TAMPERED = "R-VERIFY-TAMPERED";
const WRONG_KEY = "R-VERIFY-WRONG-KEY";
const RAW = "R-VERIFY-RAW";

/** Texts instead of the whole signature: for a missing value, of other schemes, and too long ones. */
const CARRIED: readonly string[] = [
  "undefined null none, true 0 * v1, v1,* v1,undefined v1 , v1,, v1,\u00ff v1,%00 v1,=".split(" "),
  "v2,cstest v1a,cstest t=1,v1=cstest v1=cstest sha256= sha256=cstest sha1=cstest".split(" "),
  "Bearer cstest",
  "cst\u00e9st\u00ff",
  `v1,${"A".repeat(300)}`,
  `v1,${"A".repeat(4000)}`,
  Array.from({ length: 40 }, () => `v1,${"A".repeat(43)}=`).join(" "),
].flat();

/** Texts instead of the digest, after the version's name. */
const DIGESTS: readonly (readonly [what: string, text: (base: Base) => string])[] = [
  ["of no characters", () => ""],
  ...["undefined", "null", "NaN", "0", "1", "true", "none", "test", ".*", "[object Object]"].map(
    (word) => [JSON.stringify(word), () => word] as const,
  ),
  ["that is the id", ({ attempt }) => attempt.event.id],
  ["that is the time", ({ timestamp }) => String(timestamp)],
  ["that is the type", ({ attempt }) => attempt.event.type],
  ["that is the body", ({ attempt }) => Buffer.from(attempt.body).toString("base64")],
  [
    "that is the body's checksum",
    ({ attempt }) => crc32(attempt.body).toString(16).padStart(8, "0"),
  ],
];

/** The name of a plain change, which is tried with every type of event and in every form of HTTP. */
export const MOVED = "another event under the signature of an accepted attempt";

/** Without a signature, or with a text in its place. */
export function unsigned({ signing }: KitSender): readonly Operation[] {
  return [
    op(UNSIGNED, "an attempt with the headers under other names", ({ attempt }) => ({
      ...attempt,
      headers: attempt.headers.map(([name, value]) => [
        signing.headers.includes(name.toLowerCase()) ? `x-${name}` : name,
        value,
      ]),
    })),
    ...signing.parts.flatMap(({ name, place }) => [
      op(UNSIGNED, `an attempt without ${name}`, ({ attempt }) =>
        signing.withPlace(attempt, place, () => undefined),
      ),
      op(UNSIGNED, `an attempt with an empty ${name}`, ({ attempt }) =>
        signing.withPlace(attempt, place, () => ""),
      ),
    ]),
    ...CARRIED.map((text) =>
      op(UNSIGNED, `${JSON.stringify(text.slice(0, 40))} as the signature`, ({ attempt }) =>
        signing.withCarrier(attempt, () => text),
      ),
    ),
    ...DIGESTS.map(([what, text]) =>
      op(UNSIGNED, `a signature ${what}`, (base) =>
        signing.withSignature(base.attempt, () => text(base)),
      ),
    ),
    op(UNSIGNED, "an empty body without any header of the scheme", ({ attempt }) => ({
      ...signing.unsigned(attempt),
      body: Buffer.alloc(0),
    })),
    op(UNSIGNED, "an accepted event again, unsigned", (base) => ({
      ...base.attempt,
      ...signing.withCarrier(base.accepted, () => undefined),
    })),
  ];
}

const CHANGED_IDS: readonly (readonly [what: string, change: (id: string) => string])[] = [
  ["the id's case changed", (id) => id.toUpperCase()],
  ["the id cut by its last letter", (id) => id.slice(0, -1)],
];

/** A sent time of any unit, some seconds later. */
function shifted(time: string, seconds: number): string {
  if (!/^\d+$/.test(time)) return new Date(Date.parse(time) + seconds * 1000).toISOString();
  return String(Number(time) + seconds * (time.length > 12 ? 1000 : 1));
}

const CHANGED_TIMES: readonly (readonly [
  what: string,
  change: (time: string) => string | undefined,
])[] = [
  ...[1, -1, 60, -60].map(
    (by) => [`a time moved by ${by} s`, (time: string) => shifted(time, by)] as const,
  ),
  ["no time", () => undefined],
  ...["", "0", "-1", "NaN", "null", "undefined", "Infinity", "99999999999"].map(
    (text) => [`the time ${JSON.stringify(text)}`, () => text] as const,
  ),
  ["a time a thousandfold", (time) => `${time}000`],
];

/** An address that is signed and named in each header that a proxy adds: the receiver's own is another one. */
const ELSEWHERE = "elsewhere.example";
const HOSTS = ["Host", "X-Forwarded-Host", "X-Original-Host", "X-Host"];

const otherUrls: readonly Operation[] = HOSTS.flatMap((name) =>
  ["https", "http"].map((protocol) => {
    const what = `an attempt for another address of ${protocol}, named in ${name}`;
    const origin = `${protocol}://${ELSEWHERE}`;
    const headers = [[name, ELSEWHERE] as const, ["X-Forwarded-Proto", protocol] as const];
    return op(TAMPERED, what, ({ kit, attempt: { event } }) =>
      kit.attempt({ event, origin, headers }),
    );
  }),
);

const changed = (requirement: string, changes: ReturnType<typeof changedBodies>) =>
  Object.entries(changes).map(([what, change]) =>
    op(requirement, what, ({ kit, attempt, accepted }) => ({
      ...attempt,
      body: Buffer.from(change(Buffer.from(attempt.body).toString(), { kit, accepted })),
    })),
  );

const withMedia = (attempt: Attempt, media: string): Attempt => ({
  ...attempt,
  headers: [...without(attempt.headers, ["content-type"]), ["Content-Type", media]],
});

const FORM = "application/x-www-form-urlencoded";
const formForJson = op(RAW, `a form around a body that was signed, as ${FORM}`, ({ attempt }) => {
  const text = Buffer.from(attempt.body).toString();
  return { ...withMedia(attempt, FORM), body: Buffer.from(`payload=${encodeURIComponent(text)}`) };
});

/** If only a form's fields are signed, a body that is not a form has none, and its bytes are not signed. */
const jsonForForm = op(TAMPERED, "JSON with the signature of an empty form", (base) => {
  const { event } = base.attempt;
  const fields = Object.fromEntries(new URLSearchParams(event.text));
  const empty = base.kit.attempt({ event, body: "" });
  return { ...withMedia(empty, "application/json"), body: Buffer.from(JSON.stringify(fields)) };
});

/** With other bytes for those that are signed, in a member of the body. */
const replaced = (what: string, sent: string, signed: string): Operation =>
  op(RAW, what, ({ kit, attempt: { event } }) => {
    const attempt = kit.attempt({ event, body: (text) => withBytes(text, signed) });
    return { ...attempt, body: withBytes(event.text, sent) };
  });

/** With a part of what is signed changed after signing. */
export function tampered(kit: KitSender, model: Attempt): readonly Operation[] {
  const { signing, events } = kit;
  const { covers, withTime, provider } = signing;
  return [
    ...changed(TAMPERED, changedBodies(kit, model.body)),
    op(TAMPERED, "another body under the headers of an accepted attempt", (base) => {
      const { headers, path = "" } = base.accepted;
      return { ...base.attempt, headers, path };
    }),
    op(TAMPERED, MOVED, ({ attempt, accepted }) => {
      const { id } = provider;
      const moved = { ...attempt, headers: accepted.headers };
      return id === undefined ? moved : signing.withPlace(moved, id.at, () => attempt.event.id);
    }),
    ...(covers.id ? CHANGED_IDS : []).map(([what, change]) =>
      op(TAMPERED, what, ({ attempt }) =>
        signing.withPlace(attempt, provider.id?.at ?? "", change),
      ),
    ),
    ...(withTime === undefined ? [] : CHANGED_TIMES).map(([what, change]) =>
      op(TAMPERED, what, ({ attempt }) => withTime?.(attempt, change)),
    ),
    ...signing.signedPlaces.map((place) =>
      op(TAMPERED, `another value of ${place}`, ({ attempt }) =>
        signing.withPlace(attempt, place, (value) => `${value}1`),
      ),
    ),
    ...(signing.signsUrl ? otherUrls : []),
    ...changed(RAW, misreadBodies(kit)),
    ...(events.isForm
      ? [jsonForForm]
      : [formForJson, ...alikeTexts.map((texts) => replaced(...texts))]),
  ];
}

/** With another secret, or a coding. */
export function otherwise({ signing }: KitSender): readonly Operation[] {
  return [
    op(WRONG_KEY, "an accepted event again, that another secret signed", (base) => ({
      ...base.attempt,
      ...base.kit.foreign({ event: base.accepted.event }),
    })),
    op(WRONG_KEY, "an attempt that a third secret signed", ({ kit, attempt: { event } }) =>
      kit.attempt({ event, secrets: [signing.stranger("a third")] }),
    ),
    ...codings.map(([coding, encode]) => {
      const what = `a body in ${coding}, with a signature of what it decodes to`;
      return op("R-BODY-ENCODED", what, ({ attempt }) => ({
        ...attempt,
        headers: [...attempt.headers, ["Content-Encoding", coding]],
        body: encode(attempt.body),
      }));
    }),
  ];
}
