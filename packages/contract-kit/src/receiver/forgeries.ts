import { crc32 } from "node:zlib";
import type { Attempt } from "../harness/attempt-maker.ts";
import { codings, transports, headerValue } from "../harness/message.ts";
import type { CatalogueRow } from "../harness/provider-events.ts";
import type { Sender } from "../harness/sender.ts";
import {
  type BodyChange,
  changedBodies,
  changedValues,
  laxBytes,
  misreadBodies,
  withBytes,
} from "./forged-bodies.ts";
import { knownKeys } from "./forged-keys.ts";
import { type Base, op, type Operation, weakSignatures } from "./forged-signatures.ts";
import { partialSignatures, spelledSignatures, spelledTimes } from "./forged-spellings.ts";
import type { Forgery } from "./receiver-check.ts";

/** Values that programs print for a missing one, use as wildcards or fail to parse, and formats of other schemes. */
const WORDS: readonly string[] = [
  "undefined null none, true 0 * v1, v1,* v1,undefined v1 , v1,, v1,\u00ff v1,%00 v1,=".split(" "),
  "v2,cstest v1a,cstest t=1,v1=cstest v1=cstest sha256= sha256=cstest sha1=cstest".split(" "),
  "Bearer cstest",
  "cst\u00e9st\u00ff",
  `v1,${"A".repeat(300)}`,
  `v1,${"A".repeat(4000)}`,
  Array.from({ length: 40 }, () => `v1,${"A".repeat(43)}=`).join(" "),
].flat();

const UNSIGNED = "R-VERIFY-UNSIGNED";
const TAMPERED = "R-VERIFY-TAMPERED";
const CANONICAL = "R-VERIFY-CANONICAL";
const ONCE = "R-HEADER-ONCE";

function operations(sender: Sender, model: Attempt): readonly Operation[] {
  const { signing, events } = sender;
  const { covers, withTime, parts, provider } = signing;
  const body = (requirement: string, { what, isJson, change }: BodyChange): readonly Operation[] =>
    isJson === true && events.isForm
      ? []
      : [
          op(requirement, what, ({ attempt, accepted }) => {
            const text = Buffer.from(attempt.body).toString();
            return { ...attempt, body: Buffer.from(change(text, { sender, accepted })) };
          }),
        ];
  const carried = (what: string, change: (text: string) => string): Operation =>
    op(UNSIGNED, what, ({ attempt }) => signing.withCarrier(attempt, change));
  return [
    op(UNSIGNED, "an attempt without any header of the scheme", ({ attempt }) =>
      signing.unsigned(attempt),
    ),
    op(UNSIGNED, "an attempt with the headers under other names", ({ attempt }) => ({
      ...attempt,
      headers: attempt.headers.map(([name, value]) => [
        signing.headers.includes(name.toLowerCase()) ? `x-${name}` : name,
        value,
      ]),
    })),
    ...parts.flatMap(({ name, place }) => [
      op(UNSIGNED, `an attempt without ${name}`, ({ attempt }) =>
        signing.withPlace(attempt, place, () => undefined),
      ),
      op(UNSIGNED, `an attempt with an empty ${name}`, ({ attempt }) =>
        signing.withPlace(attempt, place, () => ""),
      ),
    ]),
    ...WORDS.map((word) =>
      carried(`${JSON.stringify(word.slice(0, 40))} as the signature`, () => word),
    ),
    ...SIGNATURES.map(([what, text]) =>
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

    ...[...changedBodies, ...changedValues(sender, model.body)].flatMap((one) =>
      body(TAMPERED, one),
    ),
    op(
      TAMPERED,
      "another body under the headers of an accepted attempt",
      ({ attempt, accepted }) => ({
        ...attempt,
        headers: accepted.headers,
        path: accepted.path ?? "",
      }),
    ),
    op(
      TAMPERED,
      "another event under the signature of an accepted attempt",
      ({ attempt, accepted }) => {
        const { id } = provider;
        const moved = { ...attempt, headers: accepted.headers };
        return id === undefined ? moved : signing.withPlace(moved, id.at, () => attempt.event.id);
      },
    ),
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

    ...misreadBodies.flatMap((one) => body("R-VERIFY-RAW", one)),
    ...body(CANONICAL, {
      what: "a byte order mark that was not signed",
      change: (text) => `\uFEFF${text}`,
    }),
    ...(events.isForm ? [] : laxBytes).map(([what, sent, signed]) =>
      op(CANONICAL, what, ({ attempt: { event }, timestamp }) => {
        const signedBody = withBytes(event.text, Buffer.from(signed));
        const attempt = sender.attempt(event, { timestamp, body: signedBody });
        return { ...attempt, body: withBytes(event.text, Buffer.from([sent])) };
      }),
    ),
    ...partialSignatures(signing),
    ...spelledSignatures(signing),
    ...spelledTimes(signing),
    ...signing.headers.flatMap((name) => [
      op(ONCE, `${name} twice, the genuine one first`, ({ attempt, accepted }) => ({
        ...attempt,
        headers: [...attempt.headers, [name, headerValue(accepted.headers, name)]],
      })),
      op(ONCE, `${name} twice, the genuine one last`, ({ attempt, accepted }) => ({
        ...attempt,
        headers: [[name, headerValue(accepted.headers, name)], ...attempt.headers],
      })),
    ]),
    ...["one", "two", "three"].map((name) =>
      op("R-VERIFY-WRONG-KEY", STRANGER, ({ attempt: { event }, timestamp }) =>
        sender.attempt(event, { timestamp, secrets: [signing.stranger(name)] }),
      ),
    ),
    op("R-VERIFY-WRONG-KEY", "an accepted event again, that another secret signed", (base) => ({
      ...base.attempt,
      ...sender.attempt(base.accepted.event, { secrets: [signing.stranger("again")] }),
    })),
    ...knownKeys(sender),
    ...weakSignatures(signing),
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
  ...["", "0", "-1", "NaN", "now", "null", "undefined", "Infinity", "99999999999"].map(
    (text) => [`the time ${JSON.stringify(text)}`, () => text] as const,
  ),
  ["a time a thousandfold", (time) => `${time}000`],
];

/** Texts in the place of the signature. */
const SIGNATURES: readonly (readonly [what: string, text: (base: Base) => string])[] = [
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

const CHANGED_IDS: readonly (readonly [what: string, change: (id: string) => string])[] = [
  ["a letter added to the id", (id) => `${id}x`],
  ["the id's case changed", (id) => id.toUpperCase()],
  ["the id cut by its last letter", (id) => id.slice(0, -1)],
];

const STRANGER = "an attempt that another secret signed";

/** Operations that are tried with every type of event and in every form of HTTP. */
const CORE: readonly string[] = [
  "an attempt without any header of the scheme",
  "a letter added to the id",
  "a time moved by 60 s",
  "another event under the signature of an accepted attempt",
  STRANGER,
  "a body with one letter changed, place 1",
];

/**
 * Attempts that are forged in one way each, by the requirement that refuses them: every operation on every part, with
 * types of events by the seed, and the plainest ones with every type and in every form of HTTP. What the scheme's own
 * verifier accepts is not a forgery and is left out.
 */
export function forgeries(
  sender: Sender,
  accepted: Attempt,
): ReadonlyMap<string, readonly Forgery[]> {
  const { rows } = sender.events;
  const all = operations(sender, accepted).filter(({ requirement }) =>
    sender.isSelected(requirement),
  );
  const forms = Object.keys(transports);
  const chosen: Chosen[] = all.map((operation, index) => {
    const place = sender.seed + index + sender.round * 31;
    const form = sender.round === 0 ? undefined : forms[place % forms.length];
    return { operation, accepted, row: rows[place % Math.max(1, rows.length)], form };
  });
  const bare = sender.signing.parts.map(({ name }) => `an attempt without ${name}`).at(-1) ?? "";
  for (const operation of all.filter(({ what }) => CORE.includes(what) || what === bare)) {
    chosen.push(...rows.map((row) => ({ operation, accepted, row })));
    chosen.push(...forms.map((form) => ({ operation, accepted, form })));
  }
  const found = chosen.flatMap((one) => {
    const forgery = forged(sender, one);
    return forgery === undefined ? [] : { requirement: one.operation.requirement, forgery };
  });
  const groups = Map.groupBy(found, ({ requirement }) => requirement);
  return new Map([...groups].map(([id, group]) => [id, group.map(({ forgery }) => forgery)]));
}

interface Chosen {
  readonly operation: Operation;
  readonly accepted: Attempt;
  readonly row?: CatalogueRow | undefined;
  readonly form?: string | undefined;
}

function forged(sender: Sender, { operation, row, form, accepted }: Chosen): Forgery | undefined {
  const timestamp = sender.seconds();
  const attempt = sender.attempt(sender.event({ row }), { timestamp });
  const change = operation.change({ sender, attempt, timestamp, accepted });
  if (change === undefined) return undefined;
  const plain: Attempt = { ...change, event: attempt.event, what: operation.what };
  const isEncoded = plain.headers.some(([name]) => name === "Content-Encoding");
  if (!isEncoded && sender.isGenuine(plain)) return undefined;
  const isFirst = row === undefined || row === sender.events.rows[0];
  const type = isFirst ? "" : ` (${row.type})`;
  const { id } = sender.signing.provider;
  const name = id?.at.replace("header:", "").toLowerCase() ?? "";
  const carried = headerValue(plain.headers, name);
  // A shorter one may be the id of another event of this run, and the accepted one has had its effect.
  const isOwn = carried.length >= attempt.event.id.length && carried !== accepted.event.id;
  return {
    ...plain,
    ...(form === undefined ? {} : transports[form]?.(plain)),
    what: `${operation.what}${type}${form === undefined ? "" : `, ${form}`}`,
    ...(isOwn && { otherIds: [carried] }),
    plainer:
      form === undefined && isFirst
        ? undefined
        : () => forged(sender, { operation, accepted }) ?? plain,
  };
}
