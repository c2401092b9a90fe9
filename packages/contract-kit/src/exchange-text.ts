import type { HttpAnswer, HttpCall } from "./http-send.ts";

/**
 * A request and its response, as text that `shownBytes` made: printable, at most a few kilobytes, and
 * without a secret. `received` is empty if no answer arrived.
 */
export interface Exchange {
  readonly sent: string;
  readonly received: string;
}

/** A call and its result. */
export interface RecordedCall {
  readonly url: string;
  readonly call: HttpCall;
  /** `undefined` if no answer came. */
  readonly answer: HttpAnswer | undefined;
}

export interface CurlOptions {
  /** The token that the lines take from `$TOKEN`. */
  readonly token: string;
  /** The part that makes keys of this scenario unique; the lines use a new one, so that they can run again. */
  readonly run: string;
  /** Other secrets, by the variables from which the lines read them. */
  readonly secrets?: ReadonlyMap<string, string>;
}

/**
 * A scenario as lines for a shell. Generated values (ids, tokens) are read from the answers, and the
 * keys are new ones, so that the lines run again on the same service.
 */
export function curlLines(
  exchanges: readonly RecordedCall[],
  { token, run, secrets = new Map() }: CurlOptions,
): readonly string[] {
  const names = new Map([[token, "TOKEN"], [run, "RUN"], ...secrets]);
  const lines = exchanges.flatMap(({ url, call, answer }, index) => {
    const later = exchanges.slice(index + 1).map((one) => textOf(one.call));
    const made = madeBy(answer)
      .filter(([, value]) => !names.has(value) && later.some((text) => text.includes(value)))
      .filter(([, value], place, all) => all.findIndex((one) => one[1] === value) === place);
    const line = curlLine(url, call, names);
    if (made.length === 0) return [line];
    const assigned = made.map(([member, value]) => {
      const name = `${member.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase()}_${names.size}`;
      names.set(value, name);
      return `${name}=$(printf %s "$ANSWER" | sed -n 's/.*"${member}" *: *"\\([^"]*\\)".*/\\1/p')`;
    });
    return [`ANSWER=$(${line}); printf '%s\\n' "$ANSWER"`, ...assigned];
  });
  return [
    ...(exchanges.some(({ call }) => textOf(call).includes(run)) ? [NEW_RUN] : []),
    ...(lines.some((line) => line.includes('"$BASIC"')) ? [BASIC] : []),
    ...lines,
  ];
}

const NEW_RUN = "RUN=check-$(date +%s)-$$";
/** A client's credentials for HTTP Basic, from the variables that have them. */
const BASIC = String.raw`BASIC=$(printf '%s:%s' "$CLIENT_ID" "$CLIENT_SECRET" | base64 | tr -d '\n')`;

function curlLine(
  url: string,
  { method, path, headers, body }: HttpCall,
  names: ReadonlyMap<string, string>,
): string {
  const said = Object.entries(headers).map(([name, value]) => quoted(`${name}: ${value}`, names));
  return [
    String.raw`curl -sS -w '\n'`,
    ...(method === "GET" ? [] : [`-X ${method}`]),
    ...said.map((header) => `-H ${header}`),
    ...(body === undefined ? [] : [`--data-binary ${quoted(bodyText(body), names)}`]),
    quoted(url + path, names),
  ].join(" ");
}

/** In single quotes for a shell, with what has a name taken from its variable. */
function quoted(text: string, names: ReadonlyMap<string, string>): string {
  if (text === "") return single(text);
  const pieces = [...names].reduce<readonly Piece[]>(
    (before, [value, name]) => before.flatMap((piece) => split(piece, value, name)),
    [{ text }],
  );
  return pieces
    .map((piece) => ("name" in piece ? `"$${piece.name}"` : single(piece.text)))
    .join("");
}

type Piece = { readonly text: string } | { readonly name: string };

function split(piece: Piece, value: string, name: string): readonly Piece[] {
  if ("name" in piece || value === "") return [piece];
  return piece.text
    .split(value)
    .flatMap((text, index) => [
      ...(index === 0 ? [] : [{ name }]),
      ...(text === "" ? [] : [{ text }]),
    ]);
}

function single(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

const MADE =
  /"(paymentId|customerId|id|subscriptionKey|accessToken|access_token|clientSecret)"\s*:\s*"([!#-[\]-~]{4,})"/g;

function madeBy(answer: HttpAnswer | undefined): readonly (readonly [string, string])[] {
  if (answer === undefined) return [];
  return [...bodyText(answer.body).matchAll(MADE)].map(([, member = "", value = ""]) => [
    member,
    value,
  ]);
}

function textOf({ path, headers, body }: HttpCall): string {
  return [path, ...Object.values(headers), bodyText(body ?? "")].join("\n");
}

function bodyText(body: string | Uint8Array): string {
  return typeof body === "string" ? body : Buffer.from(body).toString();
}

/**
 * Bytes of the wire as text that a terminal, a page and a file can show: UTF-8 unchanged, all else
 * escaped. `\r\n` is a line break; any other line break is also escaped, since it
 * may be the fault. A backslash is doubled, so that the text is read in one way.
 */
export function shownBytes(bytes: Uint8Array | string): string {
  const all = Buffer.from(bytes);
  const text = escaped(all.subarray(0, SHOWN));
  return all.length <= SHOWN ? text : `${text}\n… ${String(all.length - SHOWN)} more bytes`;
}

/** Bytes that are shown; what follows is counted. */
const SHOWN = 2048;

function escaped(bytes: Buffer): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = sequenceAt(bytes, at);
    const character = size === 0 ? "" : bytes.toString("utf8", at, at + size);
    if (character === "\r" && bytes[at + 1] === 0x0a) {
      pieces.push("\n");
      at += 2;
    } else {
      pieces.push(size === 0 ? hex(bytes[at] ?? 0) : shown(character));
      at += Math.max(1, size);
    }
  }
  return pieces.join("");
}

function shown(character: string): string {
  if (character === "\n") return "\\n\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  if (character === "\\") return "\\\\";
  // Controls, what turns the writing direction, separators, and what has no form.
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cn}\p{Co}]/u.test(character)
    ? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
    : character;
}

function hex(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, "0")}`;
}

/** Number of bytes of the character at a place; 0 if they are not UTF-8. */
function sequenceAt(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const sequence = bytes.subarray(at, at + size);
  // Printed again, what is no UTF-8 has other bytes.
  return sequence.length === size && Buffer.from(sequence.toString()).equals(sequence) ? size : 0;
}
