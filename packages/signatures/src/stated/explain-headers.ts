import type { SchemeParts } from "./create-scheme.ts";
import { parseTimestamp } from "./headers.ts";
import type { HeadersLike } from "./scheme.ts";

/** The scheme's headers as they arrived, which may be wrong. */
export interface LenientHeaders {
  readonly names: {
    readonly signature: string;
    readonly timestamp: string | undefined;
    readonly id: string | undefined;
  };
  readonly signature: string;
  readonly timestamp: string | undefined;
  readonly id: string | undefined;
  /** Values of all headers: a changed id may have survived in one. */
  readonly all: readonly string[];
  readonly length: number | undefined;
  /** A header that is missing, with a similar one, or one that arrived twice. */
  readonly problem:
    | { readonly cause: "header-missing" | "header-joined"; readonly sentence: string }
    | undefined;
}

/** Reads the scheme's headers although they may be wrong. */
export function readLeniently(
  given: HeadersLike,
  { description, form }: SchemeParts,
): LenientHeaders {
  const entries = entriesOf(given);
  const valuesOf = (name: string): readonly string[] =>
    entries.filter(([key]) => key === name.toLowerCase()).flatMap(([, values]) => values);
  const { signature, timestamp, id } = description.headers;
  const required = [id, timestamp, signature].filter((name) => name !== undefined);
  const missing = required.find((name) => valuesOf(name).length === 0);
  const joined = required.find(
    (name) => valuesOf(name).length > 1 || valuesOf(name)[0]?.includes(", "),
  );
  const first = (name: string | undefined): string | undefined =>
    name === undefined ? undefined : valuesOf(name)[0];
  const header = first(signature) ?? "";
  const sent =
    first(timestamp) ??
    (form.kind === "pairs"
      ? new RegExp(`(?:^|,)${form.timestamp}=([^,]*)`).exec(header)?.[1]
      : undefined);
  const length = valuesOf("content-length")[0];
  return {
    names: { signature, timestamp, id },
    signature: header,
    timestamp: sent,
    id: first(id),
    all: entries.flatMap(([, values]) => values),
    length: length === undefined ? undefined : parseTimestamp(length),
    problem:
      missing !== undefined
        ? {
            cause: "header-missing",
            sentence: `The header ${missing} is missing${similarTo(missing, entries)}.`,
          }
        : joined !== undefined
          ? {
              cause: "header-joined",
              sentence: `The header ${joined} arrived twice, or was joined with another value.`,
            }
          : undefined,
  };
}

function entriesOf(given: HeadersLike): readonly (readonly [string, readonly string[]])[] {
  const isIterable = (value: object): value is Iterable<readonly [string, unknown]> =>
    Symbol.iterator in value;
  return (isIterable(given) ? [...given] : Object.entries(given))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name.toLowerCase(), [value].flat().map(String)]);
}

/** Names a header that may be the missing one under another name: `webhook_id`, `svix-id`. */
function similarTo(missing: string, entries: ReturnType<typeof entriesOf>): string {
  const end = missing.slice(missing.lastIndexOf("-") + 1).toLowerCase();
  const other = entries.find(([name]) => /sign|webhook|svix|hook/.test(name) && name.endsWith(end));
  return other === undefined ? "" : `, but ${other[0]} is present`;
}

/** Every run of characters that may be a signature, as bytes, in each encoding. */
export function tokensIn(header: string): readonly Uint8Array[] {
  const tokens = header.matchAll(/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{40,}={0,2}/g);
  return Array.from(tokens).flatMap(([text]) => [
    Buffer.from(text, "base64"),
    Buffer.from(text, "hex"),
  ]);
}

/** Ids that the sender may have signed: in the body, in other headers, or in another case. */
export function idsIn(body: Uint8Array, { id = "", all }: LenientHeaders): readonly string[] {
  const strings = Buffer.from(body)
    .toString()
    .matchAll(/(?<=")[A-Za-z0-9_-]{1,256}(?=")/g);
  const inBody = Array.from(strings, ([text]) => text);
  return [
    ...new Set([...inBody.slice(0, 100), ...all, id.trim(), id.toLowerCase(), id.toUpperCase()]),
  ];
}
