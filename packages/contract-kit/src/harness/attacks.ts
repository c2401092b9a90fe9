import { schemeOf } from "@countersign/signatures";
import { keysAlong, knownKeys } from "./attack-keys.ts";
import {
  type Base,
  macOf,
  op,
  type Operation,
  parts,
  signedBy,
  type Spelling,
  versions,
  weakMacs,
} from "./attack-parts.ts";
import { changedBodies, laxBodies, misreadBodies, spellings, timesOf } from "./attack-texts.ts";
import type { Attempt, Bench } from "./bench.ts";
import type { CatalogueRow } from "./events.ts";
import type { Forgery } from "./play.ts";
import {
  codings,
  type Header,
  transports,
  valueOf,
  withHeader,
  without,
  withSignature,
} from "./message.ts";

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

function operations(bench: Bench): readonly Operation[] {
  const { names, covers, withTime, isVersioned, all } = bench.signing;
  const headed = (id: string, what: string, change: (headers: Headers, base: Base) => Headers) =>
    op(id, what, (base) => ({ headers: change(base.attempt.headers, base) }));
  const valued = (id: string, what: string, [name, change]: Valued) =>
    headed(id, what, (headers) => withHeader(headers, name, change));
  const part = (id: string, [what, change]: Spelling) =>
    valued(id, what, [names.signature, (value) => withSignature(value, change)]);
  const isHex = bench.signing.encoding === "hex";
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

    ...changedBodies.map(([what, change]) =>
      op(TAMPERED, what, ({ attempt, taken, bench: { seed } }) => ({
        body: Buffer.from(change(Buffer.from(attempt.body).toString(), { taken, seed })),
      })),
    ),
    headed(
      TAMPERED,
      "another body under the headers of a taken attempt",
      (_headers, { taken }) => taken.headers,
    ),
    headed(
      TAMPERED,
      "another event under the signature of a taken attempt",
      (_headers, { taken, attempt }) =>
        withHeader(taken.headers, names.id, () => attempt.ids[0] ?? ""),
    ),
    ...(covers.id && names.id !== undefined ? CHANGED_IDS : []).map(([what, change]) =>
      op(TAMPERED, what, ({ attempt, event: { id } }) => ({
        headers: withHeader(attempt.headers, names.id, change),
        // A shorter one may be the id of another event of this run.
        ids: change(id).length < id.length ? [id] : [id, change(id)],
      })),
    ),
    ...(covers.timestamp && withTime !== undefined
      ? [1, -1, 60, -60].map((by) =>
          headed(TAMPERED, `a time moved by ${by} s`, (headers) =>
            withTime(headers, (time) => String(Number(time) + by)),
          ),
        )
      : []),

    ...[
      ...misreadBodies.map((one) => ["R-VERIFY-RAW", ...one] as const),
      ...laxBodies.map((one) => [CANONICAL, ...one] as const),
    ].map(([requirement, what, sign, send]) =>
      op(requirement, what, ({ event, bench: own, timestamp }) => {
        const text = event.body.toString();
        const signed = own.attempt({ ...event, body: Buffer.from(sign(text)) }, { timestamp });
        return { headers: signed.headers, body: Buffer.from(send(text)) };
      }),
    ),
    ...parts(isHex).map((one) => part("R-VERIFY-WHOLE", one)),
    ...spellings(isHex).map((one) => part(CANONICAL, one)),
    ...timesOf(bench),
    ...(isVersioned ? versions : []),
    ...all.flatMap((name) => {
      const other = ({ taken }: Base): Header => [name, valueOf(taken.headers, name)];
      return [
        headed(ONCE, `${name} twice, the genuine one first`, (own, base) => [...own, other(base)]),
        headed(ONCE, `${name} twice, the genuine one last`, (own, base) => [other(base), ...own]),
      ];
    }),
    ...["one", "two", "three"].map((name) =>
      op("R-VERIFY-WRONG-KEY", "an attempt that another secret signed", ({ event, bench: own }) =>
        own.attempt(event, { secrets: [own.signing.stranger(name)] }),
      ),
    ),
    ...knownKeys(bench).map(({ requirement, what, keyOf }) =>
      op(requirement, what, (base) =>
        signedBy(base, (text) => macOf(base, { text, key: keyOf(base) })),
      ),
    ),
    ...keysAlong(bench),
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
export function forgeries(bench: Bench, taken: Attempt): ReadonlyMap<string, readonly Forgery[]> {
  const { catalogue } = bench.target.profile;
  const isTypes = catalogue.length > 0;
  const found = new Map<string, Forgery[]>();
  const add = (operation: Operation, row: CatalogueRow | undefined, form?: string): void => {
    const forgery = forged(bench, { operation, row, form, taken });
    if (forgery === undefined) return;
    const before = found.get(operation.requirement) ?? [];
    found.set(operation.requirement, [...before, forgery]);
  };
  const all = operations(bench);
  const forms = Object.keys(transports);
  all.forEach((operation, index) => {
    const place = bench.seed + index + bench.round * 31;
    const form = bench.round === 0 ? undefined : forms[place % forms.length];
    add(operation, isTypes ? catalogue[place % catalogue.length] : undefined, form);
  });
  const signatureName = bench.signing.names.signature;
  const isCore = ({ what }: Operation): boolean =>
    CORE.includes(what) || what === `an attempt without ${signatureName}`;
  for (const operation of all.filter(isCore)) {
    for (const row of catalogue) add(operation, row);
    for (const form of forms) add(operation, undefined, form);
  }
  return found;
}

interface Chosen {
  readonly operation: Operation;
  readonly row: CatalogueRow | undefined;
  readonly form: string | undefined;
  readonly taken: Attempt;
}

function forged(bench: Bench, chosen: Chosen): Forgery | undefined {
  const { operation, row, form, taken } = chosen;
  const event = bench.event({ row });
  const timestamp = bench.seconds();
  const attempt = bench.attempt(event, { timestamp });
  const change = operation.change({ bench, event, attempt, timestamp, taken });
  if (change === undefined) return undefined;
  const plain = { ...attempt, ...change };
  if (isGenuine(bench, plain)) return undefined;
  const [first] = bench.target.profile.catalogue;
  const isPlainest = form === undefined && (row === undefined || row === first);
  const type = row === undefined || row === first ? "" : ` (${row.type})`;
  return {
    what: `${operation.what}${type}${form === undefined ? "" : `, ${form}`}`,
    attempt: form === undefined ? plain : { ...plain, ...transports[form]?.(plain) },
    plainer: isPlainest
      ? undefined
      : () =>
          forged(bench, { ...chosen, row: undefined, form: undefined }) ?? {
            what: operation.what,
            attempt: plain,
          },
  };
}

/** True if the scheme's own verifier accepts it: then it is not a forgery. */
function isGenuine({ target, seconds }: Bench, { headers, body }: Attempt): boolean {
  const lists = new Map<string, string[]>();
  for (const [name, value] of headers)
    lists.set(name.toLowerCase(), [...(lists.get(name.toLowerCase()) ?? []), value]);
  if (lists.has("content-encoding")) return false;
  const { signature } = target.profile;
  const { toleranceSeconds } = signature;
  try {
    const options = { now: seconds() * 1000, toleranceSeconds };
    return schemeOf(signature).verify(
      { headers: Object.fromEntries(lists), body },
      target.secrets,
      options,
    ).ok;
  } catch {
    // A secret that only signs verifies nothing.
    return false;
  }
}
