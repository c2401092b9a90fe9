/** What stands at a JSON Pointer of names without escapes; `undefined` where nothing does. */
export function valueAt(value: unknown, pointer: string): unknown {
  let at = value;
  for (const name of pointer.split("/").slice(1)) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    // An object that has the name.
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at;
}
