import { pointerOf, type Steps, valueAt, withValueAt } from "@countersign/schemas";
import type { Attempt } from "../harness/attempt-maker.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import { isRecord, parseJson, valuesIn } from "../values.ts";

/** The usual size according to Standard Webhooks, in bytes. */
export const USUAL_BYTES = 20_000;
/** The largest body that the reference interface documents, and that vendors' frameworks take by default. */
export const DOCUMENTED_BYTES = 65_536;
/** Sizes up to which careless receivers verify a body. */
export const LONG_BYTES: readonly number[] = [USUAL_BYTES, DOCUMENTED_BYTES, 300_000, 900_000];
const PLACES = [1, 2, 3, 4, 5, 6, 7, 8];

interface Situation {
  readonly kit: KitSender;
  /** An earlier genuine attempt, which the receiver has accepted. */
  readonly accepted: Attempt;
}

/** Changes of a body after it was signed, by their names. */
type Change = (text: string, situation: Situation) => string | Uint8Array;
type Changes = Readonly<Record<string, Change>>;

const letters = ({ events }: KitSender): RegExp =>
  events.isForm ? /(?<==[^&%]*)[a-z]/g : /(?<=:\s?"[^"]*)[a-z]/g;

/** One change each to a body that keeps its signature. */
const CHANGES: Changes = {
  "a body without its last byte": (text) => text.slice(0, -1),
  "an empty body": () => "",
  "a body with a digit changed in its middle": (text) =>
    withOther(text, /\d/g, (digits) => digits >> 1),
  "a body with a member more": (text, { kit }) =>
    kit.events.isForm ? `${text}&cstest=1` : appended(text, '"cstest":1'),
  "a body with the last letter's case changed": (text) =>
    text.replace(/[a-z](?=[^a-z]*$)/, (letter) => letter.toUpperCase()),
  ...Object.fromEntries(
    PLACES.map((place): [string, Change] => [
      `a body with one letter changed, place ${place}`,
      // Steps that have no divisor in common with most lengths, so that places are far apart.
      (text, { kit }) =>
        withOther(
          text,
          letters(kit),
          (count) => ((kit.seed * PLACES.length + place - 1) * 7919) % count,
        ),
    ]),
  ),
  "another event's body": (_text, { accepted }) => accepted.body,
  "a body with a zero byte and more after it": (text) => `${text}\0 `,
  "the body twice": (text) => text + text,
};
const JSON_CHANGES: Changes = {
  "a body with other data": (text) => text.replace(/"(\w+)":"/, '"$1":"x'),
  "an event around the body": (text) => `{"data":${text}}`,
};

export const changedBodies = (kit: KitSender, body: Uint8Array): Changes => ({
  ...CHANGES,
  ...(kit.events.isForm ? changedFields(body) : { ...JSON_CHANGES, ...changedValues(body) }),
});

const MOST_VALUES = 24;

/** A change of each field of a form: what is verified in part leaves some out. */
function changedFields(body: Uint8Array): Changes {
  const names = [...new URLSearchParams(Buffer.from(body).toString()).keys()];
  const change = (name: string) => (text: string) => {
    const fields = new URLSearchParams(text);
    fields.set(name, `${fields.get(name) ?? ""}x`);
    return fields.toString();
  };
  return Object.fromEntries(names.map((name) => [`a body with another ${name}`, change(name)]));
}

/** The same of each value of JSON. */
function changedValues(body: Uint8Array): Changes {
  const change = (steps: Steps) => (text: string) => {
    const whole = parseJson(text);
    const before = valueAt(whole, pointerOf(steps.map(String)));
    if (before === undefined) return text;
    return JSON.stringify(withValueAt(whole, steps, neighbour(before)));
  };
  const plain = valuesIn(parseJson(body)).filter(
    ([, value]) => typeof value !== "object" || value === null,
  );
  return Object.fromEntries(
    plain
      .slice(0, MOST_VALUES)
      .map(([steps]) => [`a body with another value at /${steps.join("/")}`, change(steps)]),
  );
}

function neighbour(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  return typeof value === "boolean" ? !value : typeof value === "string" ? `${value}x` : "cstest";
}

/** Bodies that decoders or JSON libraries read as the signed one. */
const MISREAD: Changes = {
  "a line break at the end that was not signed": (text) => `${text}\n`,
  "a space at the beginning that was not signed": (text) => ` ${text}`,
  "two characters of a line break that were not signed": (text) => `${text}\r\n`,
  "UTF-16 for a body that was signed in UTF-8": (text) => Buffer.from(text, "utf16le"),
};
const MISREAD_JSON: Changes = {
  "a member twice that was signed once": (text) =>
    text.replace(/\{\s*("[^"]*":)/, (all, name: string) => `{${name}0,${all.slice(1)}`),
  "a whole number with a fraction that was signed without": (text) =>
    text.replace(/:(\d+)(?=[,}])/, ":$1.0"),
  "spaces between members that were not signed": (text) =>
    JSON.stringify(JSON.parse(text), null, 2),
  "members in another order than the signed one": (text) =>
    JSON.stringify(reversed(JSON.parse(text))),
  "an escaped letter that was signed as itself": (text) =>
    text.replace("cstest", String.raw`\u0063stest`),
  "a form around a body that was signed": (text) => `payload=${encodeURIComponent(text)}`,
};

export const misreadBodies = ({ events }: KitSender): Changes =>
  events.isForm ? MISREAD : { ...MISREAD, ...MISREAD_JSON };

/** Texts that decoders and normalizers read as the signed one. */
export const alikeTexts: readonly (readonly [what: string, sent: string, signed: string])[] = [
  ["a letter and its accent apart for a signed letter", "e\u0301", "\u00e9"],
  ["a sign that is compatible with a signed letter", "\uff41", "a"],
  ["a break of two characters for a signed line break", "\r\n", "\n"],
  ["a capital letter for a signed small one", "A", "a"],
];

/** JSON with its members in the opposite order; a list's items keep theirs. */
export function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).toReversed());
}

/** JSON with a member added after the first brace. */
export const prepended = (text: string, member: string): string =>
  text.replace("{", () => `{${member},`);

/** JSON with a member added before the last brace. */
export function appended(text: string, member: string): string {
  const at = text.lastIndexOf("}");
  return at === -1 ? `${text} ` : `${text.slice(0, at)},${member}${text.slice(at)}`;
}

/** A JSON object without each of its members in turn; nothing for other bodies. */
export function withoutEach(text: string): readonly (readonly [name: string, text: string])[] {
  const body = parseJson(text);
  if (!isRecord(body)) return [];
  return Object.keys(body).map((name) => {
    const { [name]: _, ...rest } = body;
    return [name, JSON.stringify(rest)] as const;
  });
}

/** The body with a new member whose value is a text. */
export const withBytes = (body: string, text: string): Buffer =>
  Buffer.from(prepended(body, `"cstest":"${text}"`));

/** A body of that many bytes, and the same with its last letter changed. */
export function longBodies(
  kit: KitSender,
  text: string,
  bytes: number = USUAL_BYTES,
): readonly [signed: string, sent: string] {
  const missing = Math.max(0, bytes - text.length);
  // Spaces, since another member would belong to another requirement.
  const long = kit.events.isForm
    ? `cstest=${"1".repeat(missing)}&${text}`
    : text.replace("{", `{${" ".repeat(missing)}`);
  return [long, withOther(long, letters(kit), (count) => count - 1)];
}

/** With one of the characters that fit a pattern replaced by its neighbour. */
function withOther(body: string, pattern: RegExp, choose: (count: number) => number): string {
  const places = [...body.matchAll(pattern)];
  const place = places[choose(places.length)];
  if (place === undefined) return `${body} `;
  const code = body.codePointAt(place.index) ?? 0;
  const other = String.fromCodePoint(/[z9]/.test(place[0]) ? code - 1 : code + 1);
  return body.slice(0, place.index) + other + body.slice(place.index + 1);
}
