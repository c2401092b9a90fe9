/** How long a failed event waits, in milliseconds, after its attempt with this number (from 1). */
export type Backoff = (attempts: number) => number;

export interface ExponentialBackoffOptions {
  /** The longest wait after the first attempt, in milliseconds. Default 5,000. */
  readonly baseMs?: number;
  /** What each further wait is multiplied by. Default 4. */
  readonly factor?: number;
  /** The longest wait of all, in milliseconds. Default 6 hours. */
  readonly maxMs?: number;
  /** A number from 0 to 1, 1 excluded. Default `Math.random`. */
  readonly random?: () => number;
}

const SIX_HOURS_MS = 21_600_000;

/**
 * Waits that grow exponentially, each between half of its longest and its longest, so that events
 * which failed together don't come back together. By default ten attempts take 10 to 20 hours.
 *
 * @throws {TypeError} a number is not positive, or `factor` is below 1.
 */
export function exponentialBackoff(options: ExponentialBackoffOptions = {}): Backoff {
  const { baseMs = 5000, factor = 4, maxMs = SIX_HOURS_MS, random = Math.random } = options;
  for (const [name, value] of Object.entries({ baseMs, factor, maxMs }))
    if (!Number.isFinite(value) || value < 1)
      throw new TypeError(`exponentialBackoff: "${name}" must be a number of 1 or more`);
  return (attempts) => {
    const longest = Math.min(maxMs, baseMs * factor ** (attempts - 1));
    return Math.round(longest * (0.5 + random() / 2));
  };
}
