import type { CallOptions } from "./options.ts";
import { whole, type Settings } from "./settings.ts";
import { startDeadline } from "./time.ts";

/** The deadline and the signal that end a call. */
export interface CallLimits {
  /** Aborted by the caller's signal and by the call's deadline. */
  readonly signal: AbortSignal;
  /** The reason for the abort. */
  stopped(): "CS_CALL_ABORTED" | "CS_CALL_TIMEOUT" | undefined;
  /** Milliseconds until the deadline. */
  remainingMs(): number;
  end(): void;
}

const DAY_MS = 86_400_000;

/** @throws {TypeError} `timeoutMs` is not a whole number from 1 to a day. */
export function startLimits(
  { time, timeouts }: Pick<Settings, "time" | "timeouts">,
  { signal, timeoutMs = timeouts.callMs }: CallOptions,
): CallLimits {
  const ms = whole("timeoutMs", timeoutMs, [1, DAY_MS]);
  const endsAt = time.now() + ms;
  const deadline = startDeadline(time, ms);
  return {
    signal: signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]),
    stopped: () => {
      if (signal?.aborted === true) return "CS_CALL_ABORTED";
      return deadline.signal.aborted ? "CS_CALL_TIMEOUT" : undefined;
    },
    remainingMs: () => endsAt - time.now(),
    end: () => deadline.end(),
  };
}
