import { decimalPaths, EACH, type EventModel } from "./event-model.ts";
import {
  ANY_OTHER,
  DECIMAL,
  type Language,
  byType,
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
 * Read it with a decimal library. Members of type \`number\` are integers.
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
  const exact = tidy.replaceAll(`"${DECIMAL}"`, amount.name);
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

function parser(model: EventModel): string {
  const { schemas, typePath } = model;
  const rows = [...byType(model)].map(([type, shapes]) => {
    const paths = shapes.flatMap(({ schema }) => decimalPaths(schema, schemas));
    const texts = new Set(paths.map((path) => JSON.stringify(path)));
    return `  [${quoted(type)}, [${[...texts].join(", ")}]],`;
  });
  const at = typePath.map((name) => `?.[${quoted(name)}]`).join("");
  return `/** The members that lead to each decimal, by the event's type; "${EACH}" is every item of an array. */
const decimals: ReadonlyMap<unknown, readonly (readonly string[])[]> = new Map([
${rows.join("\n")}
]);

/**
 * Parses a body whose signature has been verified. Returns \`undefined\` for an unknown type: providers add
 * types. The event is not validated.
 *
 * @throws {SyntaxError} the body is not JSON.
 * @throws {TypeError} JSON.parse of this engine does not pass on a number's text (Node before 21).
 */
export function parseEvent(body: string): WebhookEvent | undefined {
  const texts: Texts = new Map();
  const event = JSON.parse(body, function (this: unknown, name: string, value: unknown, ...more: unknown[]) {
    const [context] = more as [{ readonly source?: string }?];
    const members = texts.get(this) ?? new Map<string, string | undefined>();
    if (typeof value === "number") texts.set(this, members.set(name, context?.source));
    return value;
  }) as Parsed;
  // The type decides the form.
  const paths = decimals.get(event${at});
  if (paths === undefined) return undefined;
  for (const path of paths) keepText(event, path, texts);
  return event as unknown as WebhookEvent;
}

type Parsed = { [member: string]: Parsed } | undefined;

/** The texts of numbers by the objects and arrays that hold them. */
type Texts = Map<unknown, Map<string, string | undefined>>;

/** Replaces a decimal by its text. */
function keepText(holder: Parsed, [name, ...path]: readonly string[], texts: Texts): void {
  if (typeof holder !== "object" || holder === null || name === undefined) return;
  const names = name === "${EACH}" && Array.isArray(holder) ? Object.keys(holder) : [name];
  for (const each of names) {
    if (path.length > 0) keepText(holder[each], path, texts);
    else if (typeof holder[each] === "number") {
      const text = texts.get(holder)?.get(each);
      if (text === undefined) throw new TypeError("JSON.parse must give source texts, as of Node.js 21");
      holder[each] = text as unknown as Parsed;
    }
  }
}`;
}
