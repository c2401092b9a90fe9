/** Header fields in their order. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** Pairs names and values that are given in turn. */
export const fieldsOf = (raw: readonly string[]): Fields =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as const] : []));

/** Header fields by name, in lower case; one that arrived more than once is a list, which a scheme refuses. */
export function headersOf(fields: Fields): Readonly<Record<string, string | readonly string[]>> {
  const lists = Map.groupBy(fields, ([name]) => name.toLowerCase());
  return Object.fromEntries(
    [...lists].map(([name, list]) => {
      const values = list.map(([, value]) => value);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}
