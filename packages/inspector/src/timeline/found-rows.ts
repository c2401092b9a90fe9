import { indexFrom, rowsOfNumbers, type NumberedRows, type ShownRows } from "./shown-rows.ts";
import type { Row } from "./timeline-store.ts";

/** Rows that are looked at between two glances at the clock. */
const STRIDE = 250;

/**
 * The rows that pass one filter, found in pieces: what was looked at once is not looked at again while rows
 * come in on either end. What a row passes by (type, category, ids) never changes.
 */
export class FoundRows {
  readonly #passes: (row: Row) => boolean;
  /** Numbers of the rows that pass, ascending. */
  #found: number[] = [];
  /** Numbers from `#from` up to, but not including, `#to` have been looked at. */
  #from = 0;
  #to = 0;

  constructor(passes: (row: Row) => boolean) {
    this.#passes = passes;
  }

  /**
   * Looks at rows that have not been looked at, the newest first, until none is left or it is late.
   *
   * @param isLate Asked after a few hundred rows each.
   * @returns Whether none is left.
   */
  look({ rows, first }: NumberedRows, isLate: () => boolean): boolean {
    const end = first + rows.length;
    if (this.#from > end || this.#to < first || this.#from === this.#to) this.#startAt(end);
    const newer: number[] = [];
    for (; this.#to < end; this.#to += 1)
      if (this.#passesAt(rows, this.#to - first)) newer.push(this.#to);
    for (const number of newer) this.#found.push(number);
    const older: number[] = [];
    let isCutShort = false;
    while (this.#from > first && !isCutShort) {
      const until = Math.max(first, this.#from - STRIDE);
      for (let number = this.#from - 1; number >= until; number -= 1) {
        if (this.#passesAt(rows, number - first)) older.push(number);
      }
      this.#from = until;
      isCutShort = isLate();
    }
    if (older.length > 0) this.#found = [...older.toReversed(), ...this.#found];
    return this.#from <= first;
  }

  /** The rows found so far that are still there. */
  shown(list: NumberedRows): ShownRows {
    const gone = indexFrom(this.#found, list.first);
    if (gone > 0) this.#found = this.#found.slice(gone);
    // A copy: the next look adds to it.
    return rowsOfNumbers(list, [...this.#found]);
  }

  #startAt(number: number): void {
    this.#found = [];
    this.#from = number;
    this.#to = number;
  }

  #passesAt(rows: readonly Row[], index: number): boolean {
    const row = rows[index];
    return row !== undefined && this.#passes(row);
  }
}
