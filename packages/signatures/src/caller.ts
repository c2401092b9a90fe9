import { isBytes } from "./bytes.ts";
import { isId } from "./grammar.ts";
import type { VerifyOptions } from "./scheme.ts";

/** The tolerance of a scheme that does not say otherwise, in seconds. */
export const DEFAULT_TOLERANCE_SECONDS = 300;

/** The last second that 12 digits can write. */
const LAST_TIMESTAMP = 999_999_999_999;

/** @throws {TypeError} Not bytes: a text or a parsed body cannot be what was signed. */
export function checkBody(body: Uint8Array): void {
  if (!isBytes(body)) {
    throw new TypeError('"body" must be the raw bytes (Uint8Array), not text and not parsed JSON');
  }
}

/** @throws {TypeError} The id could not be verified. */
export function checkId(id: string): void {
  if (typeof id !== "string" || !isId(id)) {
    throw new TypeError('"id" must be 1 to 256 characters of A-Z, a-z, 0-9, "_" and "-"');
  }
}

/** @throws {TypeError} The timestamp could not be verified. */
export function checkTimestamp(timestamp: number): void {
  if (!Number.isInteger(timestamp) || timestamp < 0 || timestamp > LAST_TIMESTAMP) {
    throw new TypeError('"timestamp" must be whole seconds since the epoch, in at most 12 digits');
  }
}

/** @throws {TypeError} Not a number of seconds that bounds anything. */
export function checkTolerance(toleranceSeconds: number): void {
  // NaN and Infinity would switch the check off without a word.
  if (!Number.isSafeInteger(toleranceSeconds) || toleranceSeconds < 0) {
    throw new TypeError('"toleranceSeconds" must be a non-negative integer');
  }
}

/**
 * The clock and the tolerance in whole seconds.
 *
 * @throws {TypeError} Either is not a usable number.
 */
export function readOptions(
  options: VerifyOptions,
  defaultTolerance: number,
): { readonly nowSeconds: number; readonly toleranceSeconds: number } {
  const { now, toleranceSeconds = defaultTolerance } = options;
  if (!Number.isFinite(now)) {
    throw new TypeError('"now" must be a time in milliseconds since the epoch');
  }
  checkTolerance(toleranceSeconds);
  return { nowSeconds: Math.floor(now / 1000), toleranceSeconds };
}
