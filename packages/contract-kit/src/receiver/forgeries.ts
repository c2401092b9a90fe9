import { schemeOf } from "@countersign/signatures";
import { knownKeys } from "./forged-keys.ts";
import {
  type Base,
  op,
  type Operation,
  parts,
  type Spelling,
  versions,
  weakMacs,
} from "./forged-parts.ts";
import {
  type BodyChange,
  changedBodies,
  laxBytes,
  misreadBodies,
  spellings,
  timesOf,
  withBytes,
} from "./forged-texts.ts";
import type { Attempt, Sender } from "../harness/attempt-sender.ts";
import type { CatalogueRow } from "../harness/events.ts";
import type { Forgery } from "./receiver-check.ts";
import {
  codings,
  type Header,
  transports,
  valueOf,
  withHeader,
  without,
  withSignature,
} from "../harness/message.ts";

/** Values that programs print for a missing one, use as wildcards or fail to parse, and formats of other schemes. */
const WORDS: readonly string[] = [
  "undefined null none, true 0 * v1, v1,* v1,undefined v1 , v1,, v1,\u00ff v1,%00 v1,=".split(" "),
  "v2,cstest v1a,cstest t=1,v1=cstest v1=cstest sha256=cstest sha1=cstest".split(" "),
  "Bearer cstest",
  `v1,${"A".repeat(300)}`,
  `v1,${"A".repeat(4000)}`,
  Array.from({ length: 40 }, () => `v1,${"A".repeat(43)}=`).join(" "),
].flat();

type Headers = readonly Header[];

function operations(sender: Sender): readonly Operation[] {
  const { names, covers, withTime, separator, all } = sender.signing;
  const headed = (id: string, what: string, change: (headers: Headers, base: Base) => Headers) =>
    op(id, what, (base) => ({ headers: change(base.attempt.headers, base) }));
  const valued = (id: string, what: string, [name, change]: Valued) =>
    headed(id, what, (headers) => withHeader(headers, name, change));
  const part = (id: string, [what, change]: Spelling) =>
    valued(id, what, [names.signature, (value) => withSignature(value, change)]);
  const rewritten = (id: string, [what, change]: BodyChange) =>
    op(id, what, (base) => ({ body: Buffer.from(change(base.attempt.event.text, base)) }));
  const isHex = sender.signing.encoding === "hex";
  return [
    headed(UNSIGNED, "an attempt without any header of the scheme", (headers) =>
      without(headers, all),
    ),
    headed(UNSIGNED, "an attempt with the headers under other names", (headers) =>
      headers.map(([name, value]) => [
        all.includes(name.toLowerCase()) ? `x-${name}` : name,
        value,
      ]),
    ),
    ...all.flatMap((name) => [
      headed(UNSIGNED, `an attempt without ${name}`, (headers) => without(headers, [name])),
      valued(UNSIGNED, `an attempt with an empty ${name}`, [name, () => ""]),
    ]),
    ...WORDS.map((word) => {
      const what = `${JSON.stringify(word.slice(0, 40))} as the signature`;
      return valued(UNSIGNED, what, [names.signature, () => word]);
    }),
    part(UNSIGNED, ["a signature of no characters", () => ""]),

    ...changedBodies.map((one) => rewritten(TAMPERED, one)),
    headed(
      TAMPERED,
      "another body under the headers of a taken attempt",
      (_headers, { taken }) => taken.headers,
    ),
    headed(
      TAMPERED,
      "another event under the signature of a taken attempt",
      (_headers, { taken, attempt }) => withHeader(taken.headers, names.id, () => attempt.event.id),
    ),
    ...(covers.id && names.id !== undefined ? CHANGED_IDS : []).map(([what, change]) =>
      op(TAMPERED, what, ({ attempt: { headers, event } }) => ({
        headers: withHeader(headers, names.id, change),
        // A shorter one may be the id of another event of this run.
        ids: [event.id, change(event.id)].filter(({ length }) => length >= event.id.length),
      })),
    ),
    ...(covers.timestamp && withTime !== undefined
      ? [1, -1, 60, -60].map((by) =>
          headed(TAMPERED, `a time moved by ${by} s`, (headers) =>
            withTime(headers, (time) => String(Number(time) + by)),
          ),
        )
      : []),

    ...misreadBodies.map((one) => rewritten("R-VERIFY-RAW", one)),
    rewritten(CANONICAL, ["a byte order mark that was not signed", (text) => `\uFEFF${text}`]),
    ...laxBytes.map(([what, sent, signed]) =>
      op(CANONICAL, what, ({ attempt: { event }, timestamp }) => {
        const body = withBytes(event.text, Buffer.from(signed));
        const { headers } = sender.attempt(event, { timestamp, body });
        return { headers, body: withBytes(event.text, Buffer.from([sent])) };
      }),
    ),
    ...parts(isHex).map((one) => part("R-VERIFY-WHOLE", one)),
    ...spellings(isHex).map((one) => part(CANONICAL, one)),
    ...timesOf(sender),
    ...(separator === undefined ? [] : versions),
    ...all.flatMap((name) => {
      const other = ({ taken }: Base): Header => [name, valueOf(taken.headers, name)];
      return [
        headed(ONCE, `${name} twice, the genuine one first`, (own, base) => [...own, other(base)]),
        headed(ONCE, `${name} twice, the genuine one last`, (own, base) => [other(base), ...own]),
      ];
    }),
    ...["one", "two", "three"].map((name) =>
      op(
        "R-VERIFY-WRONG-KEY",
        "an attempt that another secret signed",
        ({ attempt: { event } }) => {
          const { headers } = sender.attempt(event, { secrets: [sender.signing.stranger(name)] });
          return { headers };
        },
      ),
    ),
    ...knownKeys(sender),
    ...weakMacs,
    ...codings.map(([coding, encode]) => {
      const what = `a body in ${coding}, with a signature of what it decodes to`;
      return op("R-BODY-ENCODED", what, ({ attempt }) => ({
        headers: [...attempt.headers, ["Content-Encoding", coding]],
        body: encode(attempt.body),
      }));
    }),
  ];
}

const UNSIGNED = "R-VERIFY-UNSIGNED";
const TAMPERED = "R-VERIFY-TAMPERED";
const CANONICAL = "R-VERIFY-CANONICAL";
const ONCE = "R-HEADER-ONCE";

/** The name of a header, and what becomes of its value. */
type Valued = readonly [name: string, change: (value: string) => string];

const CHANGED_IDS: readonly Spelling[] = [
  ["a letter added to the id", (id) => `${id}x`],
  ["the id's case changed", (id) => id.toUpperCase()],
  ["the id cut by its last letter", (id) => id.slice(0, -1)],
];

/** Operations that are tried with every type of event and in every form of HTTP. */
const CORE: readonly string[] = [
  "an attempt without any header of the scheme",
  "a letter added to the id",
  "a time moved by 60 s",
  "another event under the signature of a taken attempt",
  "an attempt that another secret signed",
  "a body with one letter changed, place 1",
];

/**
 * Attempts that are forged in one way each, by the requirement that refuses them: every operation on every part, with
 * types of events by the seed, and the plainest ones with every type and in every form of HTTP. What the scheme's own
 * verifier accepts is not a forgery and is left out.
 */
export function forgeries(sender: Sender, taken: Attempt): ReadonlyMap<string, readonly Forgery[]> {
  const { catalogue } = sender.target.profile;
  const all = operations(sender);
  const forms = Object.keys(transports);
  const chosen: Chosen[] = all.map((operation, index) => {
    const place = sender.seed + index + sender.round * 31;
    const form = sender.round === 0 ? undefined : forms[place % forms.length];
    return { operation, taken, row: catalogue[place % Math.max(1, catalogue.length)], form };
  });
  const unsigned = `an attempt without ${sender.signing.names.signature}`;
  for (const operation of all.filter(({ what }) => CORE.includes(what) || what === unsigned)) {
    chosen.push(...catalogue.map((row) => ({ operation, taken, row })));
    chosen.push(...forms.map((form) => ({ operation, taken, form })));
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
  readonly taken: Attempt;
  readonly row?: CatalogueRow | undefined;
  readonly form?: string | undefined;
}

function forged(sender: Sender, { operation, row, form, taken }: Chosen): Forgery | undefined {
  const timestamp = sender.seconds();
  const attempt = sender.attempt(sender.event({ row }), { timestamp });
  const change = operation.change({ sender, attempt, timestamp, taken });
  if (change === undefined) return undefined;
  const plain: Attempt = { ...attempt, ...change, what: operation.what };
  if (isGenuine(sender, plain)) return undefined;
  const isFirst = row === undefined || row === sender.target.profile.catalogue[0];
  const type = isFirst ? "" : ` (${row.type})`;
  return {
    ...plain,
    ...(form === undefined ? {} : transports[form]?.(plain)),
    what: `${operation.what}${type}${form === undefined ? "" : `, ${form}`}`,
    plainer:
      form === undefined && isFirst
        ? undefined
        : () => forged(sender, { operation, taken }) ?? plain,
  };
}

/** True if the scheme's own verifier accepts it: then it is not a forgery. */
function isGenuine(sender: Sender, { headers, body }: Attempt): boolean {
  const { target } = sender;
  const lists = Object.groupBy(headers, ([name]) => name.toLowerCase());
  if (lists["content-encoding"] !== undefined) return false;
  const values = Object.entries(lists).map(
    ([name, list = []]) => [name, list.map(([, value]) => value)] as const,
  );
  try {
    const attempt = { headers: Object.fromEntries(values), body };
    const options = { now: sender.seconds() * 1000 };
    return schemeOf(target.profile.provider).verify(attempt, target.secrets, options).ok;
  } catch {
    // A secret that only signs verifies nothing.
    return false;
  }
}
