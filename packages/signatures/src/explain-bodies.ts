import type { Cause } from "./explain-causes.ts";
import type { Variant } from "./explain-variants.ts";

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
  add("body-newline", "the line break (CRLF) at its end was removed", `${text}\r\n`);
  add("body-bom", "a byte order mark was added before it", text.replace(/^\uFEFF/, ""));
  add("body-bom", "its byte order mark was removed", `\uFEFF${text}`);
  add("body-whitespace", "whitespace was added around it", text.trim());
  if (body.length > MAX_PRINTED_BYTES) return variants;

  add("body-newline", "line breaks were changed from LF to CRLF", text.replaceAll("\r\n", "\n"));
  add("body-newline", "line breaks were changed from CRLF to LF", text.replaceAll("\n", "\r\n"));
  const misread = "its UTF-8 bytes were read as Latin-1 and encoded again";
  add("body-charset", misread, Buffer.from(text, "latin1"));
  const latin1 = Buffer.from(body).toString("latin1");
  add("body-charset", "it was converted from UTF-8 to Latin-1", latin1);
  const windows1252 = new TextDecoder("windows-1252").decode(body);
  add("body-charset", "it was converted from UTF-8 to windows-1252", windows1252);
  add("body-charset", "its Unicode was normalised to NFC", text.normalize("NFD"));
  add("body-charset", "its Unicode was normalised to NFD", text.normalize("NFC"));

  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return variants;
  }
  const compact = withoutWhitespace(text);
  const printed = new Set([compact, ...printings(value)]);
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

/** Removes whitespace outside strings. */
const withoutWhitespace = (text: string): string =>
  text.replaceAll(/("[^"\\]*(?:\\.[^"\\]*)*")|\s/gs, "$1");

const unicodeEscape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Layouts as indent, comma and colon: JSON.stringify, Python's json.dumps, and indenting printers. */
const LAYOUTS = [
  ["", ",", ":"],
  ["", ", ", ": "],
  ["  ", ",", ": "],
  ["    ", ",", ": "],
  ["\t", ",", ": "],
] as const;

/** JavaScript escapes little; Python escapes all but ASCII, PHP slashes too, and Go what HTML treats specially. */
const ESCAPES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll(/[\u007f-\uffff]/g, unicodeEscape),
  (text) => text.replaceAll("/", "\\/"),
  (text) => text.replaceAll("/", "\\/").replaceAll(/[\u007f-\uffff]/g, unicodeEscape),
  (text) => text.replaceAll(/[<>&\u2028\u2029]/g, unicodeEscape),
];

/** JavaScript prints 10.00 as 10; a sender may have written an amount with its cents, or with one digit. */
const NUMBERS: readonly ((number: number, member: string) => string)[] = [
  String,
  (number, member) => (isMoney(member) ? number.toFixed(2) : String(number)),
  (number, member) =>
    isMoney(member) && Number.isInteger(number) ? `${number}.0` : String(number),
];
const isMoney = (member: string): boolean => /amount|value|price|total|fee/i.test(member);

/** Prints a JSON value as the usual printers of several languages do. */
function* printings(value: unknown): Generator<string> {
  for (const isSorted of [false, true])
    for (const number of NUMBERS)
      for (const escape of ESCAPES)
        for (const layout of LAYOUTS)
          yield print(value, { layout, isSorted, number, escape }, "", "");
}

interface Printer {
  readonly layout: (typeof LAYOUTS)[number];
  readonly isSorted: boolean;
  readonly number: (typeof NUMBERS)[number];
  readonly escape: (text: string) => string;
}

function print(value: unknown, printer: Printer, member: string, margin: string): string {
  const { layout, isSorted, number, escape } = printer;
  const [indent, comma, colon] = layout;
  if (typeof value === "number") return number(value, member);
  if (typeof value !== "object" || value === null) return escape(JSON.stringify(value));
  const inner = margin + indent;
  const isList = Array.isArray(value);
  const entries = Object.entries(value as Readonly<Record<string, unknown>>); // an object or a list
  const ordered =
    isSorted && !isList ? entries.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))) : entries;
  const parts = ordered.map(([name, child]) => {
    const printed = print(child, printer, isList ? member : name, inner);
    return isList ? printed : `${escape(JSON.stringify(name))}${colon}${printed}`;
  });
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return open + close;
  return indent === ""
    ? open + parts.join(comma) + close
    : `${open}\n${inner}${parts.join(`${comma}\n${inner}`)}\n${margin}${close}`;
}
