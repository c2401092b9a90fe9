import { formatAmount } from "@countersign/rules";

declare global {
  interface JSON {
    /** Text that `stringify` writes as it stands. In V8 since Node 21, not yet in TypeScript's library. */
    rawJSON(text: string): RawJson;
  }
}

/** A number that is written digit for digit. */
export interface RawJson {
  readonly rawJSON: string;
}

/** An amount as this service writes it: always two digits after the separator (S 2.1). */
export interface WrittenAmount {
  readonly currency: "USD";
  readonly value: RawJson;
}

/** @param cents 1 to 9,999,999,999. */
export function writtenAmount(cents: bigint): WrittenAmount {
  return { currency: "USD", value: JSON.rawJSON(formatAmount(cents)) };
}

/** A time as S 2.3 writes it: UTC with exactly three digits of milliseconds. */
export function writtenTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
