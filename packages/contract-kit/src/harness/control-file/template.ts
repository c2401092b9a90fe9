/** What `{{…}}` may name: a value, a variable of the environment, or a value as a number. */
const PLACE = /\{\{([^{}]*)\}\}/g;
const NAME = /^(?:[A-Za-z][A-Za-z0-9]*|env\.COUNTERSIGN_CONTROL_[A-Z0-9_]+)$/;
const NUMBER = /^\{\{number ([A-Za-z][A-Za-z0-9]*)\}\}$/;

export type Values = ReadonlyMap<string, string>;

/** The names that a text's places have, those that are no names included. */
export function namesIn(text: string): readonly string[] {
  const number = NUMBER.exec(text)?.[1];
  if (number !== undefined) return [number];
  return [...text.matchAll(PLACE)].map(([, name = ""]) => name);
}

/** Whether a place's words are a name at all. */
export function isName(name: string): boolean {
  return NAME.test(name);
}

/** All texts of a JSON value, names of members included, with their JSON Pointers. */
export function textsIn(value: unknown, pointer: string): readonly (readonly [string, string])[] {
  if (typeof value === "string") return [[pointer, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    ...(Array.isArray(value) ? [] : [[pointer, name] as const]),
    ...textsIn(member, `${pointer}/${name}`),
  ]);
}

/** A text with its places filled, each value as `encode` has it. */
export function filled(
  text: string,
  values: Values,
  encode: (value: string) => string = (value) => value,
): string {
  return text.replaceAll(PLACE, (_place, name: string) => encode(values.get(name) ?? ""));
}

/** A body's JSON with its places filled. A number keeps its text: a double would not hold every cent. */
export function filledBody(body: unknown, values: Values): string {
  if (typeof body === "string") {
    const number = NUMBER.exec(body)?.[1];
    if (number === undefined) return JSON.stringify(filled(body, values));
    const text = values.get(number) ?? "";
    return /^-?\d+(?:\.\d+)?$/.test(text) ? text : JSON.stringify(text);
  }
  if (Array.isArray(body))
    return `[${body.map((one: unknown) => filledBody(one, values)).join(",")}]`;
  if (typeof body !== "object" || body === null) return JSON.stringify(body);
  const members = Object.entries(body).map(
    ([name, value]) => `${JSON.stringify(filled(name, values))}:${filledBody(value, values)}`,
  );
  return `{${members.join(",")}}`;
}
