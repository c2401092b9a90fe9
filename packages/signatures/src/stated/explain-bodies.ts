import type { Cause, Mistake } from "./explain-causes.ts";

/** A body that the sender may have signed instead of the one that arrived. */
export interface BodyVariant {
  readonly bytes: Uint8Array;
  /** Absent for the body as it arrived. */
  readonly mistake?: Mistake;
}

/** Lists different bodies from which usual mistakes make the body that arrived, the most common mistake first. */
export function bodyVariants(body: Uint8Array): readonly BodyVariant[] {
  const text = Buffer.from(body).toString();
  const withoutBom = text.replace(/^\uFEFF/, "");
  const variants: BodyVariant[] = [];
  const known = new Set([Buffer.from(body).toString("latin1")]);
  const add = (cause: Cause, change: string, original: string | Uint8Array): void => {
    const bytes = Buffer.from(original);
    // The number of bodies that are tried with another mistake is limited, so none is tried twice.
    const name = bytes.toString("latin1");
    if (known.has(name)) return;
    known.add(name);
    const statement =
      cause === "body-reserialized"
        ? `something re-serialised the JSON: the sender signed ${bytes.length} bytes, ${body.length} arrived, and ${change}`
        : `the body was changed on its way: ${change}`;
    variants.push({ bytes, mistake: { cause, statement } });
  };

  add("body-newline", "a newline was added at its end", text.replace(/\r?\n$/, ""));
  add("body-newline", "the newline at its end was removed", `${text}\n`);
  add("body-newline", "the line break (CRLF) at its end was removed", `${text}\r\n`);
  add("body-newline", "line breaks were changed from LF to CRLF", text.replaceAll("\r\n", "\n"));
  add("body-newline", "line breaks were changed from CRLF to LF", text.replaceAll("\n", "\r\n"));
  add("body-bom", "a byte order mark was added before it", withoutBom);
  add("body-bom", "its byte order mark was removed", `\uFEFF${text}`);
  add("body-whitespace", "whitespace was added around it", text.trim());
  for (const [change, original] of charsets(body, text)) add("body-charset", change, original);

  let value: unknown;
  try {
    value = JSON.parse(withoutBom);
  } catch {
    return variants;
  }
  const compact = withoutWhitespace(text);
  const printed = new Set([compact, ...printings(value, text.length)]);
  const isUsual = printed.has(text);
  for (const original of printed) {
    const isSame = withoutWhitespace(original) === compact;
    const cause = isSame && !isUsual ? "body-whitespace" : "body-reserialized";
    const change = isSame ? "its whitespace was changed" : "its members were printed differently";
    add(cause, change, original);
    add(cause, change, `${original}\n`);
  }
  return variants;
}

/** Texts and bytes that a wrong character set turns into this body. */
function charsets(
  body: Uint8Array,
  text: string,
): readonly (readonly [string, string | Uint8Array])[] {
  const converted = ["utf-16le", "utf-16be", "windows-1252", "iso-8859-15"].map(
    (encoding) =>
      [
        `it was converted from UTF-8 to ${encoding}`,
        new TextDecoder(encoding).decode(body),
      ] as const,
  );
  return [
    ["its UTF-8 bytes were read as Latin-1 and encoded again", bytesOfMisread(text)],
    ["it was converted from UTF-8 to Latin-1", Buffer.from(body).toString("latin1")],
    ...converted,
    ["its Unicode was normalised to NFC", text.normalize("NFD")],
    ["its Unicode was normalised to NFD", text.normalize("NFC")],
  ];
}

/** Undoes one misreading as Windows-1252, which is Latin-1 except for 0x80 to 0x9F. */
function bytesOfMisread(text: string): Uint8Array {
  const latin1 = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const windows1252 = new TextDecoder("windows-1252").decode(latin1);
  return Uint8Array.from(text, (character) => {
    const byte = windows1252.indexOf(character);
    return byte < 0 ? character.charCodeAt(0) : byte;
  });
}

/** Removes whitespace outside strings. */
function withoutWhitespace(text: string): string {
  // A loop over runs, not characters: the latter takes stack for each, which tens of megabytes exhaust.
  return text.replaceAll(/("[^"\\]*(?:\\.[^"\\]*)*")|\s/gs, "$1");
}

interface Style {
  readonly indent: string;
  readonly comma: string;
  readonly colon: string;
}

/** The layouts of JSON.stringify, of Python's json.dumps, and of indenting printers. */
const LAYOUTS: readonly Style[] = [
  { indent: "", comma: ",", colon: ":" },
  { indent: "", comma: ", ", colon: ": " },
  { indent: "  ", comma: ",", colon: ": " },
  { indent: "    ", comma: ",", colon: ": " },
  { indent: "\t", comma: ",", colon: ": " },
];

const unicodeEscape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** JavaScript escapes little; Python escapes all but ASCII, PHP slashes too, and Go what HTML treats specially. */
const ESCAPES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll(/[\u007f-\uffff]/g, unicodeEscape),
  (text) => text.replaceAll("/", "\\/"),
  (text) => text.replaceAll("/", "\\/").replaceAll(/[\u007f-\uffff]/g, unicodeEscape),
  (text) => text.replaceAll(/[<>&\u2028\u2029]/g, unicodeEscape),
];

/** JavaScript prints 10.00 as 10; a sender may have written the cents, or at least one digit. */
const NUMBERS: readonly ((number: number, member: string) => string)[] = [
  (number) => String(number),
  (number, member) => (isMoney(member) ? number.toFixed(2) : String(number)),
  (number, member) =>
    isMoney(member) && Number.isInteger(number) ? `${number}.0` : String(number),
];
const isMoney = (member: string): boolean => /amount|value|price|total|fee/i.test(member);

const ENVELOPE = ["id", "type", "category", "timestamp", "data"];
const ORDERS: readonly ((names: readonly string[]) => readonly string[])[] = [
  (names) => names,
  (names) => names.toSorted(),
  (names) => [
    ...ENVELOPE.filter((name) => names.includes(name)),
    ...names.filter((name) => !ENVELOPE.includes(name)),
  ],
];

/** Largest text that is printed in every way; beyond it only the layout varies. */
const MAX_PRINTED = 65_536;

/** Prints a JSON value as the usual printers of several languages do. */
function* printings(value: unknown, length: number): Generator<string> {
  const most = length > MAX_PRINTED ? 1 : Infinity;
  for (const order of ORDERS.slice(0, most)) {
    for (const number of NUMBERS.slice(0, most)) {
      for (const escape of ESCAPES.slice(0, most)) {
        for (const style of LAYOUTS)
          yield print(value, { ...style, order, number, escape }, "", "");
      }
    }
  }
}

interface Printer extends Style {
  readonly order: (typeof ORDERS)[number];
  readonly number: (typeof NUMBERS)[number];
  readonly escape: (typeof ESCAPES)[number];
}

function print(value: unknown, printer: Printer, member: string, margin: string): string {
  const { indent, comma, colon, order, number, escape } = printer;
  if (typeof value === "number") return number(value, member);
  if (typeof value !== "object" || value === null) return escape(JSON.stringify(value));
  const inner = margin + indent;
  const isList = Array.isArray(value);
  const entries = new Map<string, unknown>(Object.entries(value));
  const parts = order([...entries.keys()]).map((name) => {
    const printed = print(entries.get(name), printer, isList ? member : name, inner);
    return isList ? printed : `${escape(JSON.stringify(name))}${colon}${printed}`;
  });
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return open + close;
  return indent === ""
    ? open + parts.join(comma) + close
    : `${open}\n${inner}${parts.join(`${comma}\n${inner}`)}\n${margin}${close}`;
}
