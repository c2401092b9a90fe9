import type { TokenProvider } from "./options.ts";
import type { Settings } from "./settings.ts";
import { startDeadline } from "./time.ts";
import type { Issue } from "./tokens.ts";
import { until } from "./until.ts";

const BEARER = /^[A-Za-z0-9._~+/-]+=*$/;

/** True if a text is valid in an `Authorization` field (RFC 6750, section 2.1). */
export function isBearerToken(token: unknown): token is string {
  return typeof token === "string" && token.length <= 4096 && BEARER.test(token);
}

/**
 * Asks the caller's own function for a token, by the attempt's deadline. An error of the function is
 * dropped: it may contain the secret that it was called with.
 */
export function ownToken(
  provider: TokenProvider,
  { time, timeouts }: Pick<Settings, "time" | "timeouts">,
  closing: AbortSignal,
): Issue {
  return async () => {
    const deadline = startDeadline(time, timeouts.attemptMs);
    const signal = AbortSignal.any([closing, deadline.signal]);
    try {
      const asked = (async () => provider({ signal }))();
      const issued = await until(asked, signal);
      if (signal.aborted) return unavailable("CS_CALL_TIMEOUT");
      const { token, expiresAt } = issued ?? {};
      const isTime = expiresAt === undefined || Number.isFinite(expiresAt);
      return isBearerToken(token) && isTime
        ? { ok: true, token, expiresAt }
        : unavailable("CS_TOKEN_MALFORMED");
    } catch {
      return unavailable("CS_TOKEN_PROVIDER_FAILED");
    } finally {
      deadline.end();
    }
  };
}

function unavailable(reason: string): Awaited<ReturnType<Issue>> {
  return { ok: false, failure: { code: "CS_TOKEN_UNAVAILABLE", reason } };
}
