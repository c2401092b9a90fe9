import type { HttpAnswer, HttpCall } from "./http-send.ts";

/** A call and its result. */
export interface Exchange {
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
  exchanges: readonly Exchange[],
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
      return `${name}=$(printf %s "$ANSWER" | sed -n 's/.*"${member}":"\\([^"]*\\)".*/\\1/p')`;
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
  /"(paymentId|customerId|id|subscriptionKey|accessToken|access_token|clientSecret)":"([A-Za-z0-9._~+/=-]{4,})"/g;

/** Names and generated values of an answer. */
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
