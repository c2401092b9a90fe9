/** Words as a line for a shell: what is no plain word stands in single quotes. */
export function shellWords(words: readonly string[]): string {
  return words
    .map((word) =>
      /^[A-Za-z0-9_./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`,
    )
    .join(" ");
}
