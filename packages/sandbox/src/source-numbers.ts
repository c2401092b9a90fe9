/**
 * A value of a JSON body that is written again with its numbers digit for digit: parsed and printed,
 * `10.50` would be `10.5`.
 *
 * @param numbers The source text of the body's numbers, by JSON Pointer.
 */
export function withSourceNumbers(
  value: unknown,
  pointer: string,
  numbers: ReadonlyMap<string, string>,
): unknown {
  if (typeof value === "number") return JSON.rawJSON(numbers.get(pointer) ?? String(value));
  if (Array.isArray(value)) {
    return value.map((one: unknown, index) =>
      withSourceNumbers(one, `${pointer}/${index}`, numbers),
    );
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]: [string, unknown]) => {
      const place = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      return [name, withSourceNumbers(one, place, numbers)];
    }),
  );
}
