import type { Row } from "./timeline-store.ts";

/** The rows of a list as it is drawn, the newest first: each is read when it comes in sight. */
export interface ShownRows {
  readonly count: number;
  readonly at: (place: number) => Row | undefined;
  /** The place of the row of a number; -1 where it is not shown. */
  readonly placeOf: (number: number) => number;
}

/** Rows whose numbers stay, whatever is added before or after them or is dropped; the newest is the last. */
export interface NumberedRows {
  readonly rows: readonly Row[];
  /** The number of the first row. */
  readonly first: number;
}

/** All of them. */
export function allRows({ rows, first }: NumberedRows): ShownRows {
  const { length: count } = rows;
  return {
    count,
    at: (place) => rows[count - 1 - place],
    placeOf: (number) => {
      const index = number - first;
      return index >= 0 && index < count ? count - 1 - index : -1;
    },
  };
}

/** Those of these numbers, which ascend. */
export function rowsOfNumbers(
  { rows, first }: NumberedRows,
  numbers: readonly number[],
): ShownRows {
  const { length: count } = numbers;
  return {
    count,
    at: (place) => {
      const number = numbers[count - 1 - place];
      return number === undefined ? undefined : rows[number - first];
    },
    placeOf: (number) => {
      const index = indexFrom(numbers, number);
      return numbers[index] === number ? count - 1 - index : -1;
    },
  };
}

/** Where numbers from `bound` on begin in a list of ascending ones. */
export function indexFrom(numbers: readonly number[], bound: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? bound) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
