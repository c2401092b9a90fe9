import type { ProviderDocument } from "@countersign/schemas/providers";
import { parsePlace } from "@countersign/signatures/places";

type IsMet = (value: unknown) => boolean;
/** The expected form of a value, and its check. */
type Rule = readonly [expected: string, isMet: IsMet];
type Rules = Readonly<Record<string, Rule>>;

const isText: IsMet = (value) => typeof value === "string" && value !== "";
const isInteger =
  (min: number, max: number): IsMet =>
  (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
const isPositive: IsMet = (value) => typeof value === "number" && value > 0 && value < Infinity;
const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isPlace: IsMet = (value) => {
  try {
    // It refuses anything but a place's text.
    parsePlace(value as string);
    return true;
  } catch {
    return false;
  }
};
const isList =
  (isMet: IsMet): IsMet =>
  (value) =>
    Array.isArray(value) && value.length > 0 && value.every(isMet);
const isOneOrMore =
  (isMet: IsMet): IsMet =>
  (value) =>
    isMet(value) || isList(isMet)(value);
/** True for an object that has exactly these members. */
const has =
  (members: Readonly<Record<string, IsMet>>): IsMet =>
  (value) =>
    isObject(value) &&
    Object.keys(value).length === Object.keys(members).length &&
    Object.entries(members).every(([name, isMet]) => isMet(Reflect.get(value, name)));
const isCondition: IsMet = (value) =>
  has({ at: isPlace, equals: (one) => /^(?:string|number|boolean)$/.test(typeof one) })(value) ||
  has({ at: isPlace, startsWith: isText })(value) ||
  has({ at: isPlace, present: (one) => typeof one === "boolean" })(value);
const isUnit: IsMet = (value) => /^(?:s|ms|iso)(?:\|(?:ms|iso))*$/.test(String(value));

const place: Rule = ["a place such as body:/id", isPlace];
const object: Rule = ["an object", isObject];
const status = (min: number, max: number): Rule => [
  `an integer from ${String(min)} to ${String(max)}`,
  isInteger(min, max),
];
const CONDITION = '{ "at": "body:/type", "equals": "ping" }';

/** The members that receivers read; `schemeOf` checks the others, and the names of all. */
const DOCUMENT: Rules = {
  event: ['an object such as { "id": "body:/id", "type": "body:/type" }', isObject],
  variants: ["a list of { when, event }", (value) => Array.isArray(value) && value.every(isObject)],
  handshakes: [
    "a list of { when, answer }",
    (value) => Array.isArray(value) && value.every(isObject),
  ],
  retries: [
    '"none" or such as { "hours": 72 }',
    (value) => value === "none" || has({ hours: isPositive })(value),
  ],
  media: [
    "a list of media types",
    isList((type) => typeof type === "string" && type.includes("/")),
  ],
  answer: object,
  catalogue: [
    'a list of rows such as { "type": "invoice.paid" }',
    isList((row) => isObject(row) && "type" in row && isText(row.type)),
  ],
};
const EVENT: Rules = {
  type: [
    'a place, { "text": "…" }, or a list of them',
    isOneOrMore((value) => isPlace(value) || has({ text: isText })(value)),
  ],
  id: ["a place such as body:/id, or a list of places", isOneOrMore(isPlace)],
  separator: ["a text", isText],
  category: [
    '"catalogue", a place or such as { "before": "." }',
    (value) => value === "catalogue" || isPlace(value) || has({ before: isText })(value),
  ],
  time: ['such as { "at": "body:/created", "unit": "s" }', has({ at: isPlace, unit: isUnit })],
  data: place,
  live: [
    `a place or a condition such as ${CONDITION}`,
    (value) => isPlace(value) || isCondition(value),
  ],
  account: place,
};
const VARIANT: Rules = {
  when: [`one or more conditions such as ${CONDITION}`, isOneOrMore(isCondition)],
  event: object,
};
const HANDSHAKE: Rules = {
  when: [`a list of conditions such as ${CONDITION}`, isList(isCondition)],
  answer: object,
  method: ['"GET"', (value) => value === "GET"],
  token: place,
};
const HANDSHAKE_ANSWER: Rules = {
  status: status(200, 299),
  text: place,
  json: [
    'an object of places, or of { "hmac": "body:/challenge" }',
    (value) =>
      isObject(value) &&
      Object.values(value).every((one) => isPlace(one) || has({ hmac: isPlace })(one)),
  ],
};
const UNKNOWN: Rule = ["left out: no document has it", () => false];
const text: Rule = ["a text", (value) => typeof value === "string"];
const ANSWER: Rules = {
  success: status(200, 299),
  refused: status(400, 499),
  inProgress: status(429, 599),
  body: text,
  mediaType: text,
  reply: text,
  deadlineSeconds: ["a positive number", isPositive],
  bodyBytes: ["an integer of at least 65536", isInteger(65_536, Infinity)],
  attempt: place,
};

/**
 * Checks the shape of the parts of a document that receivers read. The validator that is made from its JSON Schema
 * would make a bundled receiver half as large again.
 *
 * @throws {TypeError} The message names the provider, the member and its form.
 */
export function checkDocument(document: ProviderDocument): void {
  const {
    name,
    event,
    variants = [],
    handshakes = [],
    answer = {},
    retries,
    media,
    catalogue,
  } = document;
  const refuse = (fault: string): never => {
    throw new TypeError(`invalid provider "${name}": ${fault}`);
  };
  const check = (at: string, value: object, rules: Rules, ...required: string[]): void => {
    const path = (member: string): string => `"${at === "" ? "" : `${at}/`}${member}"`;
    for (const member of new Set([...required, ...Object.keys(value)])) {
      const one: unknown = Reflect.get(value, member);
      const [expected, isMet] = (Object.hasOwn(rules, member) && rules[member]) || UNKNOWN;
      if ((one !== undefined || required.includes(member)) && !isMet(one))
        refuse(`${path(member)} must be ${expected}`);
    }
  };
  check("", { event, variants, handshakes, retries, media, answer, catalogue }, DOCUMENT, "event");
  check("event", event, EVENT, "type");
  for (const [index, variant] of variants.entries()) {
    const at = `variants/${String(index)}`;
    check(at, variant, VARIANT, "when", "event");
    check(`${at}/event`, variant.event, EVENT, "type");
  }
  for (const [index, handshake] of handshakes.entries()) {
    const at = `handshakes/${String(index)}`;
    check(at, handshake, HANDSHAKE, "when", "answer");
    check(`${at}/answer`, handshake.answer, HANDSHAKE_ANSWER);
  }
  check("answer", answer, ANSWER);
}
