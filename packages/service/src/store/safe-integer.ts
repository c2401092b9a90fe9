/**
 * A `bigint` of a row as a number.
 *
 * @throws {RangeError} It is beyond ±(2^53 - 1), where numbers are rounded.
 */
export function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond what a number holds`);
  return value;
}
