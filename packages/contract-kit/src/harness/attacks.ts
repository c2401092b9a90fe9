import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { schemeOf } from "@countersign/signatures";
import { changedBodies, laxBodies, misreadBodies } from "./attack-bodies.ts";
import { keysAlong, knownKeys } from "./attack-keys.ts";
import {
  type Base,
  macOf,
  op,
  type Operation,
  parts,
  signedBy,
  versions,
  weakMacs,
} from "./attack-parts.ts";
import { spellings, timesOf } from "./attack-spellings.ts";
import type { Attempt, Bench } from "./bench.ts";
import type { CatalogueRow } from "./events.ts";
import type { Forgery } from "./play.ts";
import { type Header, transports, valueOf, withHeader, without, withSignature } from "./request.ts";

/** Values that programs print for a missing one, use as wildcards or fail to parse, and formats of other schemes. */
const WORDS: readonly string[] = [
  "undefined null none, true 0 * v1, v1,* v1,undefined v1 , v1,, v1,\u00ff v1,%00 v1,=".split(" "),
  "v2,cstest v1a,cstest t=1,v1=cstest v1=cstest sha256=cstest sha1=cstest".split(" "),
  "Bearer cstest",
  `v1,${"A".repeat(300)}`,
  `v1,${"A".repeat(4000)}`,
  Array.from({ length: 40 }, () => `v1,${"A".repeat(43)}=`).join(" "),
].flat();

/** Every operation that the parts of the profile's scheme allow. */
function operations(bench: Bench): readonly Operation[] {
  const { names, covers, withTime, isVersioned } = bench.signing;
  const all = Object.values(names).filter((name) => name !== undefined);
  const header = (name: string | undefined, change: (value: string) => string) => (base: Base) => ({
    headers: withHeader(base.attempt.headers, name, change),
  });
  const signature = (change: (value: string) => string) => header(names.signature, change);
  const part = (change: (mac: string) => string) =>
    signature((value) => withSignature(value, change));
  const isHex = bench.signing.encoding === "hex";
  return [
    op("R-VERIFY-UNSIGNED", "an attempt without any header of the scheme", ({ attempt }) => ({
      headers: without(attempt.headers, all),
    })),
    op("R-VERIFY-UNSIGNED", "an attempt with the headers under other names", ({ attempt }) => ({
      headers: attempt.headers.map(([name, value]): Header => [
        all.includes(name.toLowerCase()) ? `x-${name}` : name,
        value,
      ]),
    })),
    ...all.flatMap((name) => [
      op("R-VERIFY-UNSIGNED", `an attempt without ${name}`, ({ attempt }) => ({
        headers: without(attempt.headers, [name]),
      })),
      op(
        "R-VERIFY-UNSIGNED",
        `an attempt with an empty ${name}`,
        header(name, () => ""),
      ),
    ]),
    ...WORDS.map((word) =>
      op(
        "R-VERIFY-UNSIGNED",
        `${JSON.stringify(word.slice(0, 40))} as the signature`,
        signature(() => word),
      ),
    ),
    op(
      "R-VERIFY-UNSIGNED",
      "a signature of no characters",
      part(() => ""),
    ),

    ...changedBodies.map(([what, change]) =>
      op("R-VERIFY-TAMPERED", what, ({ attempt, taken, bench: { seed } }) => ({
        body: Buffer.from(change(Buffer.from(attempt.body).toString(), { taken, seed })),
      })),
    ),
    op(
      "R-VERIFY-TAMPERED",
      "another body under the headers of a taken attempt",
      ({ attempt, taken }) => ({
        headers: taken.headers,
        body: attempt.body,
        ids: attempt.ids,
      }),
    ),
    op(
      "R-VERIFY-TAMPERED",
      "another event under the signature of a taken attempt",
      ({ attempt, taken }) => ({
        headers: withHeader(taken.headers, names.id, () => attempt.ids[0] ?? ""),
        body: attempt.body,
        ids: attempt.ids,
      }),
    ),
    ...(covers.id && names.id !== undefined
      ? (
          [
            ["a letter added to the id", (id: string) => `${id}x`],
            ["the id's case changed", (id: string) => id.toUpperCase()],
            ["the id cut by its last letter", (id: string) => id.slice(0, -1)],
          ] as const
        ).map(([what, change]) =>
          op("R-VERIFY-TAMPERED", what, ({ attempt, event: { id } }) => ({
            headers: withHeader(attempt.headers, names.id, change),
            // A shorter one may be the id of another event of this run.
            ids: change(id).length < id.length ? [id] : [id, change(id)],
          })),
        )
      : []),
    ...(covers.timestamp && withTime !== undefined
      ? [1, -1, 60, -60].map((by) =>
          op("R-VERIFY-TAMPERED", `a time moved by ${by} s`, ({ attempt }) => ({
            headers: withTime(attempt.headers, (time) => String(Number(time) + by)),
          })),
        )
      : []),

    ...[
      ...misreadBodies.map((one) => ["R-VERIFY-RAW", ...one] as const),
      ...laxBodies.map((one) => ["R-VERIFY-CANONICAL", ...one] as const),
    ].map(([requirement, what, sign, send]) =>
      op(requirement, what, ({ event, bench: own, timestamp }) => {
        const text = event.body.toString();
        const signed = own.attempt({ ...event, body: Buffer.from(sign(text)) }, { timestamp });
        return { headers: signed.headers, body: Buffer.from(send(text)) };
      }),
    ),
    ...parts(isHex).map(([what, change]) => op("R-VERIFY-WHOLE", what, part(change))),
    ...spellings(isHex).map(([what, change]) => op("R-VERIFY-CANONICAL", what, part(change))),
    ...timesOf(bench),
    ...(isVersioned ? versions : []),
    ...all.flatMap((name) => [
      op("R-HEADER-ONCE", `${name} twice, the genuine one first`, ({ attempt, taken }) => ({
        headers: [...attempt.headers, [name, valueOf(taken.headers, name)]],
      })),
      op("R-HEADER-ONCE", `${name} twice, the genuine one last`, ({ attempt, taken }) => ({
        headers: [[name, valueOf(taken.headers, name)], ...attempt.headers],
      })),
    ]),
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
    ...(
      [
        ["gzip", gzipSync],
        ["deflate", deflateSync],
        ["br", brotliCompressSync],
      ] as const
    ).map(([coding, encode]) =>
      op(
        "R-BODY-ENCODED",
        `a body in ${coding}, with a signature of what it decodes to`,
        ({ attempt }) => ({
          headers: [...attempt.headers, ["Content-Encoding", coding]],
          body: encode(attempt.body),
        }),
      ),
    ),
  ];
}

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
