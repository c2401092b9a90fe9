import { InvalidArgumentError, Option } from "commander";

/** Returns a parser of an integer option; both bounds are inclusive. */
export function integer(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d{1,10}$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`expected an integer from ${least} to ${most}.`);
  };
}

/** Seeds of generated data: a 32-bit integer. */
export const seed: (text: string) => number = integer(0, 4_294_967_295);

/** Creates an option that accepts only the known values; help and completion list them. */
export function choice(flags: string, description: string, known: readonly string[]): Option {
  const option = new Option(flags, description).choices(known);
  return option.argParser((value: string) => {
    if (known.includes(value)) return value;
    throw new InvalidArgumentError(
      `expected one of ${known.join(", ")}${didYouMean(value, known)}`,
    );
  });
}

export const profileOption = (): Option =>
  new Option("--profile <name|file>", "built-in profile, or its file").default("standard");

export const providerOption = (): Option =>
  new Option("--provider <name|file>", "provider instead of a profile; see providers");

/** The options of a document that describes events. */
export const openApiOptions = (): readonly Option[] => [
  new Option("--openapi <file>", "OpenAPI or AsyncAPI document of the events"),
  new Option("--event-type <place>", "the type's place: /type or header:X-Event"),
];

/** Returns `; did you mean WORD?` with the nearest known word, or an empty text. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = closest(word, known);
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

function closest(word: string, known: readonly string[]): string | undefined {
  const asked = word.toLowerCase();
  const [best] = known
    .map((one) => ({ one, distance: distanceOf(asked, one.toLowerCase()) }))
    .filter(({ one, distance }) => distance <= Math.max(2, one.length / 3))
    .toSorted((a, b) => a.distance - b.distance);
  return best?.one;
}

/** Letters to add, remove, replace or swap (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    rows.push(line);
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Infinity,
        ),
      );
    }
  }
  return at(a.length, b.length);
}
