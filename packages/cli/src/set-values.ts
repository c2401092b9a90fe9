import { pointerOf, stepsOf, valueAt, withValueAt } from "@countersign/schemas";
import { badArgument } from "./failure.ts";

/** A member of an event's body and its new value. */
interface SetValue {
  /** Names from the outside in. */
  readonly steps: readonly string[];
  /** JSON, or else a text. */
  readonly value: string;
}

/** Parses `--set data.object.amount=500` or `--set /data/object/amount=500`. */
export function parseSetValue(text: string): SetValue {
  const equals = text.indexOf("=");
  const at = text.slice(0, Math.max(0, equals));
  const steps = at.startsWith("/") ? stepsOf(at) : at.split(".");
  if (equals < 1 || steps.includes(""))
    throw badArgument(
      `invalid --set ${JSON.stringify(text)}: expected NAME=VALUE, e.g. data.object.amount=500`,
    );
  return { steps, value: text.slice(equals + 1) };
}

/** Sets members of a body: of JSON, whose other numbers keep their digits, of a form, or of the JSON in its field. */
export function withValues(
  body: string,
  values: readonly SetValue[],
  { isForm, dataAt }: { readonly isForm: boolean; readonly dataAt: string },
): string {
  if (values.length === 0) return body;
  if (isForm) {
    const form = new URLSearchParams(body);
    const [, field] = /^form:(.*)#$/.exec(dataAt) ?? [];
    if (field === undefined)
      for (const { steps, value } of values) form.set(steps.join("."), value);
    else {
      const inner = { isForm: false, dataAt: "body:" };
      form.set(field, withValues(form.get(field) ?? "{}", values, inner));
    }
    return form.toString();
  }
  let root = readDigits(body);
  for (const { steps, value } of values) root = put(root, steps, valueOf(value));
  return JSON.stringify(root);
}

// The types do not know it yet.
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/** Parses JSON whose numbers are printed again digit for digit. */
export function readDigits(text: string): unknown {
  const keep = (_: string, value: unknown, context?: { readonly source: string }): unknown =>
    typeof value === "number" && context !== undefined ? rawJSON(context.source) : value;
  // The types know a reviver of two parameters only.
  return JSON.parse(text, keep as Parameters<typeof JSON.parse>[1]);
}

/** True for a number of `readDigits`. A parsed object has a prototype, also one with a member `rawJSON`. */
export const isNumber = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;

function valueOf(text: string): unknown {
  try {
    return readDigits(text);
  } catch {
    return text;
  }
}

/** @throws {Failure} A step leads into a value that has no such place. */
function put(root: unknown, steps: readonly string[], value: unknown): unknown {
  for (const [depth, step] of steps.entries()) {
    const at = valueAt(root, pointerOf(steps.slice(0, depth)));
    if (Array.isArray(at) && !(/^\d{1,6}$/.test(step) && Number(step) <= at.length))
      throw badArgument(`--set: ${step} is not an item of a list of ${String(at.length)}`);
    if (isNumber(at) || (typeof at !== "object" && at !== undefined))
      throw badArgument(`--set: ${step} is below a value that is not an object`);
  }
  return withValueAt(root, steps, value);
}
