import type { EventModel } from "./event-model.ts";
import {
  ANY_OTHER,
  type Language,
  byType,
  inCode,
  namesOf,
  oneFile,
  printTypes,
  quoted,
} from "./print-types.ts";

/** Name and declaration of the amount's type. */
export interface AmountType {
  readonly name: string;
  readonly declaration: string;
}

const decimalText: AmountType = {
  name: "DecimalText",
  declaration: `/**
 * A decimal as it stood in the body, such as "10.50": exact, where a number would be a binary fraction.
 * Read it with a decimal library, or in cents: BigInt(Math.round(Number(text) * 100)) is exact here.
 */
export type DecimalText = string;`,
};

/** Types, their union and a function that parses a body and keeps its decimals' text. */
export const typescript: Language = {
  isFolder: false,
  comment: "//",
  print: async (model) => {
    const { types, model: printed } = await typescriptTypes(model, decimalText);
    return oneFile(types, parser(printed));
  },
};

/** The types of the events, their union and their map by types. */
export async function typescriptTypes(
  asked: EventModel,
  amount: AmountType,
): Promise<{ readonly types: string; readonly model: EventModel }> {
  const { text, model } = await printTypes<"typescript">(asked, {
    language: "typescript",
    options: { "just-types": true, "prefer-const-values": true, readonly: true },
    literals: true,
  });
  const tidy = text
    // The documentation of a type that is printed where it is used.
    .replaceAll(/\/\*\*\n(?: \*[^\n]*\n)+\n+/g, "")
    .replaceAll(/^( +readonly [^:\n]+:) +/gm, "$1 ")
    .replaceAll(`"${ANY_OTHER}"`, "(string & {})");
  const exact = inCode(tidy, { comment: /^ *\*/, from: /(?<=[:|] )number\b/g, to: amount.name });
  const used = exact === tidy ? [] : [amount.declaration];
  return { types: [...used, exact.trim(), unions(model)].join("\n\n"), model };
}

function unions(model: EventModel): string {
  return [
    "/** Every event; `type` discriminates. */",
    `export type WebhookEvent =\n${namesOf(model)
      .map((name) => `  | ${name}`)
      .join("\n")};`,
    "",
    "/** Events by type. */",
    "export type EventTypeMap = {",
    ...[...byType(model)].map(
      ([type, events]) =>
        `  readonly ${quoted(type)}: ${events.map(({ name }) => name).join(" | ")};`,
    ),
    "};",
  ].join("\n");
}

function parser({ events, typePath }: EventModel): string {
  const types = [...new Set(events.map(({ type }) => `  ${quoted(type)},`))];
  const at = typePath.map((name) => `?.[${quoted(name)}]`).join("");
  return `const eventTypes: ReadonlySet<unknown> = new Set([
${types.join("\n")}
]);

/**
 * Parses a body whose signature has been verified. Returns \`undefined\` for an unknown type: providers add
 * types. The event is not validated.
 *
 * @throws {SyntaxError} the body is not JSON.
 * @throws {TypeError} JSON.parse of this engine does not pass on a number's text (Node before 21).
 */
export function parseEvent(body: string): WebhookEvent | undefined {
  const event = JSON.parse(body, keepDecimals) as Parsed;
  // The type decides the form.
  return eventTypes.has(event${at}) ? (event as unknown as WebhookEvent) : undefined;
}

type Parsed = { readonly [member: string]: Parsed } | undefined;

/** Keeps the value of an amount, an object with a currency, as text. */
function keepDecimals(this: unknown, key: string, value: unknown, ...more: unknown[]): unknown {
  const holder = this as object;
  if (typeof value !== "number" || key !== "value" || !("currency" in holder)) return value;
  const [context] = more as [{ readonly source?: string }?];
  if (context?.source === undefined) throw new TypeError("this engine does not tell a number's text");
  return context.source;
}`;
}
