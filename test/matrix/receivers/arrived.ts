/** An attempt as it came over the wire. */
export interface Arrived {
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** Every value of a header, in the order in which they came. */
export function valuesOf({ rawHeaders }: Pick<Arrived, "rawHeaders">, name: string): string[] {
  return rawHeaders.filter(
    (_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
}
