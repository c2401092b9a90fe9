import { decode } from "./algorithms.ts";
import type { Cause, Mistake } from "./explain-causes.ts";
import type { Secret } from "./secret.ts";

/** A value that the sender may have used instead, and the mistake that made the difference. */
export interface Variant<T> {
  readonly value: T;
  /** Absent for the value as it is. */
  readonly mistake?: Mistake;
}

/** Lists the secrets that usual mistakes make of one, the configured one first. */
export function secretVariants(secret: Secret, at: string): readonly Variant<Secret>[] {
  const variants: Variant<Secret>[] = [{ value: secret }];
  const text = typeof secret === "string" ? secret : secret?.raw;
  if (typeof text !== "string") return variants;
  const add = (statement: string, raw: string | Uint8Array): void => {
    const value = { raw: Buffer.from(raw) };
    variants.push({ value, mistake: { cause: "secret-encoding", statement } });
  };
  const clean = text.trim();
  const bare = clean.replace(/^(?:whsec_|raw:|[a-z]+_[a-z]+_)/, "");
  add("the sender's own secret ends with a newline", `${clean}\n`);
  add("the sender's own secret is in quotes", `"${clean}"`);
  const hasPrefix = bare !== clean;
  add(`the sender uses the text of ${at} as it is${hasPrefix ? ", with its prefix" : ""}`, clean);
  if (hasPrefix) add(`the sender uses the text of ${at} after its prefix`, bare);
  for (const encoding of ["base64", "base64url", "hex"] as const) {
    const raw = decode(encoding === "hex" ? bare.toLowerCase() : bare, encoding);
    const name = encoding === "hex" ? "hexadecimal" : encoding;
    if (raw !== undefined && raw.length > 0) add(`the sender decodes ${at} from ${name}`, raw);
  }
  return variants;
}

/** A URL's scheme and host, and its port, which URL leaves out if it is the scheme's. */
const AUTHORITY = /^(https?:\/\/[^/?#]*?)(?::\d+)?(?=[/?#]|$)/i;

/** Lists the URLs that a sender may have signed instead of one. */
export function urlVariants(
  url: string | undefined,
  { host: own, "x-forwarded-host": forwarded }: Readonly<Record<string, string>>,
): readonly Variant<string>[] {
  if (url === undefined || !URL.canParse(url)) return [];
  const { origin, host, pathname, search } = new URL(url);
  const other = url.startsWith("https:") ? "http:" : "https:";
  const hosts = [own, forwarded].filter((one) => one !== undefined);
  const candidates: readonly (readonly [string, string])[] = [
    ["its scheme", url.replace(/^https?:/, other)],
    ["its trailing slash", origin + pathname.replace(/\/$/, "") + search],
    ["its trailing slash", `${origin}${pathname.replace(/\/?$/, "/")}${search}`],
    ["its port", url.replace(AUTHORITY, "$1")],
    ["its port", url.replace(AUTHORITY, `$1:${url.startsWith("https:") ? 443 : 80}`)],
    ["its query", origin + pathname],
    ...hosts.flatMap((name) => [
      ["its host", url.replace(host, name)] as const,
      ["its scheme and host", url.replace(/^https?:/, other).replace(host, name)] as const,
    ]),
  ];
  return candidates
    .filter(([, signed]) => signed !== url)
    .map(([part, signed]) => ({
      value: signed,
      mistake: {
        cause: "url-different" as const,
        statement: `the sender signed another URL, ${signed}: ${part} differs from ${url}`,
      },
    }));
}

/** Largest body of which more than its ends is varied: printing a larger one in every way takes too long. */
const MAX_PRINTED_BYTES = 65_536;

/** Lists different bodies from which usual mistakes make the body that arrived, the most common mistake first. */
export function bodyVariants(body: Uint8Array): readonly Variant<Uint8Array>[] {
  const text = Buffer.from(body).toString();
  const variants: Variant<Uint8Array>[] = [];
  const known = new Set([Buffer.from(body).toString("latin1")]);
  const add = (cause: Cause, change: string, original: string | Uint8Array): void => {
    const value = Buffer.from(original);
    const name = value.toString("latin1");
    if (known.has(name)) return;
    known.add(name);
    const statement =
      cause === "body-reserialized"
        ? `something re-serialised the JSON: the sender signed ${value.length} bytes, ${body.length} arrived, and ${change}`
        : `the body was changed on its way: ${change}`;
    variants.push({ value, mistake: { cause, statement } });
  };

  add("body-newline", "a newline was added at its end", text.replace(/\r?\n$/, ""));
  add("body-newline", "the newline at its end was removed", `${text}\n`);
  add("body-charset", "a byte order mark was added before it", text.replace(/^\uFEFF/, ""));
  add("body-newline", "whitespace was added around it", text.trim());
  if (body.length > MAX_PRINTED_BYTES) return variants;

  add("body-newline", "line breaks were changed from LF to CRLF", text.replaceAll("\r\n", "\n"));
  add("body-newline", "line breaks were changed from CRLF to LF", text.replaceAll("\n", "\r\n"));
  const misread = "its UTF-8 bytes were read as Latin-1 and encoded again";
  add("body-charset", misread, Buffer.from(text, "latin1"));
  const windows1252 = new TextDecoder("windows-1252").decode(body);
  add("body-charset", "it was converted from UTF-8 to windows-1252", windows1252);

  const compact = text.replaceAll(STRING_OR_SPACE, "$1");
  for (const printed of printings(text.replace(/^\uFEFF/, ""))) {
    const isSame = printed.replaceAll(STRING_OR_SPACE, "$1") === compact;
    const change = isSame ? "its whitespace was changed" : "its members were printed differently";
    add("body-reserialized", change, printed);
    add("body-reserialized", change, `${printed}\n`);
  }
  return variants;
}

const STRING_OR_SPACE = /("[^"\\]*(?:\\.[^"\\]*)*")|\s/gs;
const STRING_OR_MARK = /("[^"\\]*(?:\\.[^"\\]*)*")|([,:])/gs;
/** An amount without cents, which JavaScript prints as 10 where a sender may have written 10.00 or 10.0. */
const WHOLE_AMOUNT = /("\w*(?:amount|value|price|total|fee)\w*":\s*-?\d+)(\.\d)?(?=\s*[,}\]])/gi;

const unicodeEscape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Python escapes all but ASCII, PHP slashes too, and Go what HTML treats specially: only strings have them. */
const ESCAPES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll(/[\u007f-\uffff]/g, unicodeEscape),
  (text) => text.replaceAll("/", "\\/"),
  (text) => text.replaceAll("/", "\\/").replaceAll(/[\u007f-\uffff]/g, unicodeEscape),
  (text) => text.replaceAll(/[<>&\u2028\u2029]/g, unicodeEscape),
];

const AMOUNTS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll(WHOLE_AMOUNT, (_, start: string, tenth = ".0") => `${start}${tenth}0`),
  (text) => text.replaceAll(WHOLE_AMOUNT, (_, start: string, tenth = ".0") => start + tenth),
];

/** Prints JSON as the usual printers of several languages do; nothing if it is another text. */
function* printings(text: string): Generator<string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  const compact = JSON.stringify(value);
  const layouts = [
    text.replaceAll(STRING_OR_SPACE, "$1"),
    compact,
    // Python's json.dumps.
    compact.replaceAll(STRING_OR_MARK, (_, string?: string, mark = "") => string ?? `${mark} `),
    ...["  ", "    ", "\t"].map((indent) => JSON.stringify(value, null, indent)),
  ];
  for (const amounts of AMOUNTS)
    for (const escape of ESCAPES) for (const layout of layouts) yield amounts(escape(layout));
}
