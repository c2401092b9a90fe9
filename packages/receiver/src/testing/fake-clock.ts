export interface FakeClock {
  /** For `createReceiver({ now })` and `signedAttempt({ now: clock.now() })`: milliseconds since 1970. */
  readonly now: () => number;
  /**
   * Moves the clock forward.
   *
   * @throws {TypeError} `ms` is not a non-negative integer: a receiver's clock never goes back.
   */
  readonly advance: (ms: number) => void;
}

const DEFAULT_START = Date.UTC(2026, 0, 1);

/**
 * A clock that stands until a test moves it.
 *
 * Leases, retention and the signature's tolerance follow the receiver's `now`. `limits.answerMs` and
 * `limits.bodyMs` are timers of the process, which a test runner's fake timers move.
 *
 * @param startsAt Milliseconds since 1970. Default 2026-01-01T00:00:00Z.
 * @throws {TypeError} `startsAt` is not a non-negative integer.
 */
export function fakeClock(startsAt: number = DEFAULT_START): FakeClock {
  let now = milliseconds("startsAt", startsAt);
  return {
    now: () => now,
    advance(ms) {
      now += milliseconds("ms", ms);
    },
  };
}

function milliseconds(name: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new TypeError(`fakeClock: "${name}" must be a non-negative integer of milliseconds`);
  return value;
}
